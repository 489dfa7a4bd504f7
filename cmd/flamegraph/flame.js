// SPDX-License-Identifier: GPL-2.0-or-later
// ---- flame graph ----

// Nodes in order, the widest callees first, with parent, width and the place where they begin.
class Tree {
	constructor(source)
	{
		const nodes = source.nodes, length = nodes.length / 3, path = [];

		Object.assign(this, { source, length });
		this.depth = new Int32Array(length);
		this.frame = new Int32Array(length);
		this.self = new Float64Array(length);
		this.total = new Float64Array(length);
		this.parent = new Int32Array(length).fill(-1);
		this.start = new Float64Array(length);
		this.children = new Array(length + 1); // the last: of no caller
		this.children[length] = [];
		this.deepest = 0;
		for (let i = 0; i < length; i++) {
			const depth = nodes[3 * i];
			this.depth[i] = depth;
			this.frame[i] = nodes[3 * i + 1];
			this.self[i] = this.total[i] = nodes[3 * i + 2];
			this.deepest = Math.max(this.deepest, depth);
			path[depth] = i;
			if (depth)
				this.parent[i] = path[depth - 1];
			const caller = depth ? this.parent[i] : length;
			(this.children[caller] ??= []).push(i);
		}
		for (let i = length - 1; i >= 0; i--)
			if (this.parent[i] >= 0)
				this.total[this.parent[i]] += this.total[i];
		this.samples = this.children[length].reduce((sum, i) => sum + this.total[i], 0);
		for (let i = -1; i < length; i++)
			this.place(i < 0 ? length : i, i < 0 ? 0 : this.start[i]);
	}

	place(caller, start)
	{
		const list = this.children[caller];

		list?.sort((a, b) => this.total[b] - this.total[a] || a - b);
		for (const i of list ?? []) {
			this.start[i] = start;
			start += this.total[i];
		}
	}

	path(node)
	{
		const path = [];

		for (; node >= 0; node = this.parent[node])
			path.push(this.frame[node]);
		return path.reverse();
	}

	// The node with as much of the path as there is; -1: none.
	find(path)
	{
		let node = -1;

		for (const frame of path) {
			const next = this.children[node < 0 ? this.length : node]
				?.find(i => this.frame[i] === frame);
			if (next === undefined)
				break;
			node = next;
		}
		return node;
	}
}

const flame = {
	element: by("flame"), canvas: by("flame").querySelector("canvas"),
	trees: [], current: 0, zoomed: -1, selected: -1, hovered: -1, drawn: [], matches: null,
	order: [], row: 19,

	get tree()
	{
		return this.trees[this.current] ??= new Tree(data.trees[this.current]);
	},

	// From the sample that is at the left to the one at the right.
	range()
	{
		const tree = this.tree;

		return this.zoomed < 0 ? [0, tree.samples]
			: [tree.start[this.zoomed], tree.start[this.zoomed] + tree.total[this.zoomed]];
	},

	draw()
	{
		this.element.querySelector(".room").style.height =
			`${Math.max(0, (this.tree.deepest + 1) * this.row + 8 - this.element.clientHeight)}px`;
		const [context, width, height] = fit(this.element, this.canvas);
		const top = this.element.scrollTop, tree = this.tree, [from, to] = this.range();
		const scale = width / Math.max(to - from, 1), stack = [...(tree.children[tree.length])];

		this.drawn = [];
		context.font = `12px ${color.font}`;
		context.textBaseline = "middle";
		if (!tree.samples) {
			context.fillStyle = color.faint;
			context.fillText("The profile has no samples.", 8, 20);
		}
		while (stack.length) {
			const node = stack.pop(), y = tree.depth[node] * this.row - top;
			const left = Math.max((tree.start[node] - from) * scale, 0);
			const right = Math.min((tree.start[node] + tree.total[node] - from) * scale, width);

			if (right <= 0 || left >= width || y > height)
				continue;
			if (y > -this.row)
				this.drawNode(context, node, left, y, right - left);
			this.addCallees(context, node, scale, from, y + this.row, width, stack);
		}
	},

	// Callees narrower than a pixel are one, as wide as all of them, of the widest one's kind.
	addCallees(context, node, scale, from, y, width, stack)
	{
		const tree = this.tree, list = tree.children[node] ?? [];

		for (let i = 0; i < list.length; i++) {
			if (tree.total[list[i]] * scale >= 1) {
				stack.push(list[i]);
				continue;
			}
			const last = list[list.length - 1];
			const left = Math.max((tree.start[list[i]] - from) * scale, 0);
			const right = Math.min((tree.start[last] + tree.total[last] - from) * scale, width);
			if (right > 0 && left < width && y > -this.row) {
				this.drawMerged(context, list.slice(i), left, y, right - left);
				this.drawn.push({ node: list[i], left, right, y, merged: list.length - i });
			}
			return;
		}
	},

	drawMerged(context, list, left, y, width)
	{
		const frames = list.map(node => this.tree.frame[node]), high = this.row - 1;
		const matched = this.matches && frames.some(number => this.matches[number]);

		context.globalAlpha = this.matches && !matched ? 0.3 : matched ? 1 : 0.7;
		context.fillStyle = matched ? color.match
			: unresolved[frames[0]] ? hatch(context) : frameColor(frames[0]);
		context.fillRect(left, y, Math.max(width, 1), high);
		context.globalAlpha = 1;
		if (width > 26) {
			context.fillStyle = matched ? color["match-ink"] : color.ink;
			context.fillText(this.label(context, plural(list.length, "narrow frame"), width - 9),
				left + 4, y + high / 2 + 0.5);
		}
	},

	drawNode(context, node, left, y, width)
	{
		const number = this.tree.frame[node], matched = this.matches?.[number];
		const inner = Math.max(width - 0.8, 0.5), high = this.row - 1;

		context.globalAlpha = this.matches && !matched ? 0.45 : 1;
		context.fillStyle = matched ? color.match
			: unresolved[number] ? hatch(context, data.frames[number][KIND] !== JIT) : frameColor(number);
		context.fillRect(left, y, inner, high);
		if (width > 26) {
			context.fillStyle = matched ? color["match-ink"] : color.ink;
			context.fillText(this.label(context, frameNames[number], width - 9), left + 4,
				y + high / 2 + 0.5);
		}
		context.globalAlpha = 1;
		if (node === this.selected || node === this.hovered) {
			context.strokeStyle = node === this.selected ? color.accent : color.ink;
			context.lineWidth = node === this.selected ? 2 : 1;
			context.strokeRect(left + 1, y + 1, Math.max(inner - 2, 1), high - 2);
		}
		this.drawn.push({ node, left, right: left + width, y });
	},

	widths: new Map(),

	// As much of the text as there is room for.
	label(context, text, room)
	{
		let width = this.widths.get(text);

		text = text.length > 400 ? text.slice(0, 400) : text;
		if (width === undefined)
			this.widths.set(text, width = context.measureText(text).width);
		if (width <= room)
			return text;
		let length = Math.floor(text.length * room / width);
		while (length > 0 && context.measureText(text.slice(0, length) + "…").width > room)
			length--;
		return length > 1 ? text.slice(0, length) + "…" : "";
	},

	at(event)
	{
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top;

		return this.drawn.find(d => x >= d.left && x < d.right && y >= d.y && y < d.y + this.row);
	},

	// The one of those drawn as one that is at a place. Their caller has no more room to give when it
	// is as wide as the page.
	narrow(found, event)
	{
		const tree = this.tree, [from, to] = this.range(), caller = tree.parent[found.node];
		const x = event.clientX - this.canvas.getBoundingClientRect().left;
		const sample = from + x / this.canvas.clientWidth * (to - from);

		if (tree.total[caller] < to - from)
			return caller;
		return tree.children[caller].find(node =>
			sample >= tree.start[node] && sample < tree.start[node] + tree.total[node]) ?? caller;
	},

	tell(node, merged)
	{
		const tree = this.tree;

		if (node < 0) {
			tell([["faint", "Rows go from callers down to what they called; widths are samples. Press ? for the keys."]]);
			return;
		}
		if (merged > 1) {
			tell([["name", `${plural(merged, "frame")} too narrow to be drawn`],
				["faint", "A click makes their caller as wide as the page, one more the frame clicked on."]]);
			return;
		}
		const frame = data.frames[tree.frame[node]], raw = data.names[frame[NAME]];
		const kinds = ["a command", "kernel", "code of a file",
			`JIT code of ${frame[RUNTIME] ? data.runtimes[frame[RUNTIME]] : "an unknown runtime"}`];
		tell([["name", frameNames[tree.frame[node]]],
			["", `${plural(tree.total[node], "sample")} (${percent(tree.total[node], tree.samples)}), ` +
				`${count(tree.self[node])} its own; ${kinds[frame[KIND]]}` +
				(raw && raw !== shown[frame[NAME]] ? `; ${raw}` : "")],
			...reasonLines(unresolved[tree.frame[node]] ? frame[REASON] : -1)]);
	},

	select(node)
	{
		this.selected = node;
		this.tell(node);
		if (node >= 0) {
			const y = this.tree.depth[node] * this.row;
			const [from, to] = this.range(), start = this.tree.start[node];
			if (start + this.tree.total[node] <= from || start >= to)
				this.zoomed = this.tree.parent[node];
			if (y < this.element.scrollTop)
				this.element.scrollTop = y;
			if (y + this.row > this.element.scrollTop + this.element.clientHeight)
				this.element.scrollTop = y + 2 * this.row - this.element.clientHeight;
		}
		redraw();
	},

	zoom(node)
	{
		this.zoomed = node;
		this.select(node);
	},

	// The nearest node of the same depth to the left (-1) or right (1).
	neighbour(step)
	{
		const tree = this.tree, depth = tree.depth[this.selected];
		const edge = tree.start[this.selected] + (step > 0 ? tree.total[this.selected] : 0);
		let best = -1;

		for (let i = 0; i < tree.length; i++) {
			if (tree.depth[i] !== depth || (step > 0 ? tree.start[i] < edge : tree.start[i] >= edge))
				continue;
			if (best < 0 || (step > 0 ? tree.start[i] < tree.start[best] : tree.start[i] > tree.start[best]))
				best = i;
		}
		return best;
	},

	key(event)
	{
		const tree = this.tree, node = this.selected, first = tree.children[tree.length][0] ?? -1;
		let next = -1;

		if (event.key === "Enter" || event.key === " ")
			node >= 0 && this.zoom(node);
		else if (event.key === "Home")
			next = first;
		else if (!event.key.startsWith("Arrow"))
			return false;
		else if (node < 0)
			next = first;
		else if (event.key === "ArrowDown")
			next = tree.children[node]?.[0] ?? -1;
		else if (event.key === "ArrowUp")
			next = tree.parent[node];
		else
			next = this.neighbour(event.key === "ArrowLeft" ? -1 : 1);
		if (next >= 0)
			this.select(next);
		return true;
	},

	search(matches)
	{
		const tree = this.tree, covered = new Uint8Array(tree.length);
		let samples = 0;

		this.matches = matches && data.frames.map((frame, i) =>
			matches(frameNames[i]) || matches(data.names[frame[NAME]]));
		this.order = [];
		for (let i = 0; matches && i < tree.length; i++) {
			const inside = tree.parent[i] >= 0 && covered[tree.parent[i]];
			const hit = this.matches[tree.frame[i]];
			covered[i] = inside || hit;
			if (hit && !inside)
				samples += tree.total[i];
			if (hit)
				this.order.push(i);
		}
		this.order.sort((a, b) => tree.start[a] - tree.start[b] || tree.depth[a] - tree.depth[b]);
		by("found").textContent = matches
			? `${plural(samples, "sample")} (${percent(samples, tree.samples)})` : "";
	},

	step(direction)
	{
		const at = this.order.indexOf(this.selected), length = this.order.length;

		if (length)
			this.select(this.order[at < 0 ? (direction > 0 ? 0 : length - 1) : (at + direction + length) % length]);
	},

	show(number)
	{
		const zoomed = this.tree.path(this.zoomed), selected = this.tree.path(this.selected);

		this.current = number;
		this.zoomed = this.tree.find(zoomed);
		this.select(this.tree.find(selected));
		this.search(searched());
		summarize();
	},

	reset()
	{
		const changed = this.zoomed >= 0;

		this.zoom(-1);
		return changed;
	},
};

