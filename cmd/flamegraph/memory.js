// SPDX-License-Identifier: GPL-2.0-or-later
// ---- JIT memory ----

const codeColor = generation => generation % 2
	? `hsl(280 ${dark.matches ? 40 : 48}% ${dark.matches ? 44 : 68}%)`
	: `hsl(205 ${dark.matches ? 45 : 55}% ${dark.matches ? 38 : 70}%)`;

const noDump = "Its jitdump was not at hand: perfjit-check --jitdump-dir=DIR shows the code.";

// The items of a flat list, each an array of width values.
function items(list, width)
{
	const result = [];

	for (let i = 0; i < list.length; i += width)
		result.push(list.slice(i, i + width));
	return result;
}

// A process: its lists as objects, and regions one below the other on an axis from 0 to 1.
class Space {
	constructor(source)
	{
		this.source = source;
		this.regions = source.regions;
		const weights = this.weights();
		const gap = 0.012, room = 1 - gap * Math.max(this.regions.length - 1, 0);
		const sum = weights.reduce((a, b) => a + b, 0) || 1;
		let y = 0;
		this.bands = weights.map(weight => {
			const band = [y, y + Math.max(weight / sum * room, 1e-6)];
			y = band[1] + gap;
			return band;
		});
		const place = (item, size) => ({ region: item[0], offset: item[1],
			top: this.y(item[0], item[1]), bottom: this.y(item[0], item[1] + size) });
		this.codes = items(source.codes, 7).map(c => ({ ...place(c, c[2]), size: c[2], load: c[3],
			end: c[4] ?? Infinity, name: c[5], flags: c[6], generation: 0 }));
		this.marks = items(source.marks, 4).map(m => ({ ...place(m, 0), time: m[2], reason: m[3] }));
		this.gaps = items(source.gaps, 7).map(g => ({ ...place(g, g[2]), size: g[2], load: g[3],
			end: g[4], reason: g[5], frames: g[6] }));
		this.mappings = items(source.mappings, 8).map(m => ({ top: this.y(m[0], m[1]),
			bottom: this.y(m[2], m[3]), address: m[4], size: m[5], time: m[6], name: m[7] }));
		this.count();
	}

	// Half the height is by size, half by samples.
	weights()
	{
		const sizes = this.regions.map(region => Math.sqrt(Math.max(region[1], 4096)));
		const sum = sizes.reduce((a, b) => a + b, 0), marks = this.source.marks;
		const weights = [...sizes];

		for (let i = 0; i < marks.length; i += 4)
			weights[marks[i]] += sum * 4 / marks.length;
		return weights;
	}

	y(region, offset)
	{
		const [top, bottom] = this.bands[region];

		return top + (bottom - top) * Math.min(offset / Math.max(this.regions[region][1], 1), 1);
	}

	// How often there was other code where code is: codes are by address, then time.
	count()
	{
		let live = [];

		for (const code of this.codes) {
			live = live.filter(other => other.region === code.region &&
				other.offset + other.size > code.offset).slice(-64);
			for (const other of live)
				if (other.end <= code.load && other.generation >= code.generation) {
					code.generation = other.generation + 1;
					code.before = other;
				}
			live.push(code);
		}
	}
}

const memory = {
	element: by("memory"), canvas: by("memory").querySelector("canvas"), spaces: [], current: 0,
	bounds: null, selected: null, hovered: null, matches: null, order: [],
	left: 118, bottom: 24, top: 6,

	get space()
	{
		return data.memory.length ? this.spaces[this.current] ??= new Space(data.memory[this.current]) : null;
	},

	all()
	{
		const margin = Math.max(data.duration, 1) * 0.02;

		return { from: -margin, to: Math.max(data.duration, 1) + margin, low: -0.01, high: 1.01 };
	},

	x(time)
	{
		return this.left + (time - this.bounds.from) / (this.bounds.to - this.bounds.from) * this.width;
	},

	y(place)
	{
		return this.top + (place - this.bounds.low) / (this.bounds.high - this.bounds.low) * this.height;
	},

	draw()
	{
		const [context, width, height] = fit(this.element, this.canvas), space = this.space;

		this.width = width - this.left - 4;
		this.height = height - this.bottom - this.top;
		this.bounds ??= this.all();
		context.font = `11px ${color.font}`;
		context.textBaseline = "middle";
		if (!space) {
			context.fillStyle = color.faint;
			context.fillText("The profile has no JIT code.", 8, 20);
			return;
		}
		if (!space.regions.length) {
			context.fillStyle = color.faint;
			context.fillText(noDump, 8, 20);
			return;
		}
		this.drawRegions(context, space, width);
		context.save();
		context.beginPath();
		context.rect(this.left, this.top, this.width, this.height);
		context.clip();
		this.drawCodes(context, space);
		this.drawGaps(context, space);
		this.drawMappings(context, space);
		this.drawMarks(context, space);
		this.drawNames(context);
		this.drawOutline(context);
		context.restore();
		this.drawAxis(context, width, height);
	},

	drawRegions(context, space, width)
	{
		let free = -Infinity;

		space.regions.forEach((region, i) => {
			const top = this.y(space.bands[i][0]), bottom = this.y(space.bands[i][1]);
			const upper = Math.max(top, this.top), lower = Math.min(bottom, this.top + this.height);
			if (lower <= upper)
				return;
			context.fillStyle = color.bar;
			context.fillRect(this.left, upper, width - this.left - 4, Math.max(lower - upper, 1));
			if (upper < free)
				return;
			context.fillStyle = color.ink;
			context.fillText(region[0], 2, upper + 7);
			free = upper + 15;
			if (lower - upper > 34) {
				context.fillStyle = color.faint;
				context.fillText(bytes(region[1]), 2, upper + 21);
				free = upper + 29;
			}
		});
	},

	named: [],

	drawCodes(context, space)
	{
		this.named = [];
		for (const code of space.codes) {
			const left = this.x(Math.max(code.load, this.bounds.from));
			const right = this.x(Math.min(code.end, this.bounds.to));
			const top = this.y(code.top), bottom = this.y(code.bottom);
			if (right < this.left || bottom < this.top || top > this.top + this.height ||
			    left > this.left + this.width)
				continue;
			const high = bottom - top, matched = this.matches?.has(code);
			context.globalAlpha = this.matches && !matched ? 0.3 : 1;
			context.fillStyle = matched ? color.match : codeColor(code.generation);
			context.fillRect(left, top, Math.max(right - left, 1), Math.max(high > 4 ? high - 0.7 : high, 0.6));
			if (high > 13 && right - left > 40)
				this.named.push({ code, matched, left: Math.max(left, this.left), right, middle: (top + bottom) / 2 });
		}
		context.globalAlpha = 1;
	},

	// Over the marks, on a ground of their own: many samples are where the names of hot code stand.
	drawNames(context)
	{
		for (const { code, matched, left, right, middle } of this.named) {
			const name = flame.label(context, shown[code.name], right - left - 8);
			context.globalAlpha = 0.8;
			context.fillStyle = matched ? color.match : codeColor(code.generation);
			context.fillRect(left + 2, middle - 6, context.measureText(name).width + 4, 12);
			context.globalAlpha = this.matches && !matched ? 0.3 : 1;
			context.fillStyle = matched ? color["match-ink"] : color.ink;
			context.fillText(name, left + 4, middle);
		}
		context.globalAlpha = 1;
	},

	drawGaps(context, space)
	{
		context.fillStyle = hatch(context);
		context.strokeStyle = color.bad;
		context.lineWidth = 1;
		for (const gap of space.gaps) {
			const left = this.x(gap.load) - 2, right = this.x(gap.end) + 2;
			const top = this.y(gap.top), high = Math.max(this.y(gap.bottom) - top, 3);
			context.fillRect(left, top, right - left, high);
			if (high > 6)
				context.strokeRect(left + 0.5, top + 0.5, right - left - 1, high - 1);
		}
	},

	drawMappings(context, space)
	{
		context.fillStyle = color.accent;
		for (const mapping of space.mappings) {
			const x = this.x(Math.max(mapping.time, this.bounds.from)), top = this.y(mapping.top);
			// a runtime that extends its mapping often must not hide what is in it
			context.globalAlpha = 0.3;
			context.fillRect(x - 0.5, top, 1, Math.max(this.y(mapping.bottom) - top, 2));
			context.globalAlpha = 1;
			context.beginPath();
			context.moveTo(x, top);
			context.lineTo(x + 7, top);
			context.lineTo(x, top + 7);
			context.fill();
		}
	},

	drawMarks(context, space)
	{
		const size = space.marks.length > 4000 ? 2 : 3;

		for (const mark of space.marks) {
			context.fillStyle = mark.reason < 0 ? color.ink : color.bad;
			context.fillRect(this.x(mark.time) - size / 2, this.y(mark.top) - size / 2, size, size);
		}
	},

	isInTime(item)
	{
		return item.load < this.bounds.to && item.end > this.bounds.from;
	},

	drawOutline(context)
	{
		for (const [item, paint, wide] of [[this.hovered, color.ink, 1], [this.selected, color.accent, 2]]) {
			if (!item || !this.isInTime(item))
				continue;
			const left = this.x(Math.max(item.load, this.bounds.from)), top = this.y(item.top);
			context.strokeStyle = paint;
			context.lineWidth = wide;
			context.strokeRect(left, top, Math.max(this.x(Math.min(item.end, this.bounds.to)) - left, 3),
				Math.max(this.y(item.bottom) - top, 3));
		}
	},

	drawAxis(context, width, height)
	{
		const span = this.bounds.to - this.bounds.from;
		let step = 10 ** Math.floor(Math.log10(span / 6));

		step *= [1, 2, 5, 10].find(factor => span / (step * factor) <= 9) ?? 10;
		context.textAlign = "center";
		for (let time = Math.ceil(this.bounds.from / step) * step; time <= this.bounds.to; time += step) {
			const x = this.x(time);
			context.fillStyle = color.line;
			context.fillRect(x, this.top + this.height, 1, 5);
			context.fillStyle = color.faint;
			if (x > this.left + 16 && x < width - 24)
				context.fillText(duration(time), x, height - 10);
		}
		context.textAlign = "start";
	},

	// What is at a place of the canvas: gaps first, they are on top.
	at(event)
	{
		const box = this.canvas.getBoundingClientRect(), space = this.space;
		const x = event.clientX - box.left, y = event.clientY - box.top;
		const covers = item => x >= this.x(item.load) - 2 && x <= this.x(item.end) + 2 &&
			y >= this.y(item.top) - 0.5 && y <= Math.max(this.y(item.bottom), this.y(item.top) + 1);

		if (!space || !this.bounds)
			return null;
		return space.gaps.findLast(covers) ??
			space.mappings.findLast(m => Math.abs(this.x(m.time) - x) < 4 && y >= this.y(m.top) - 1 &&
				y <= this.y(m.bottom) + 1) ??
			space.codes.findLast(covers) ?? null;
	},

	tell(item)
	{
		const space = this.space;

		if (!space) {
			tell([["faint", "No process of the profile has JIT code."]]);
			return;
		}
		if (!item) {
			const stride = space.source.stride, missing = space.gaps.reduce((sum, gap) => sum + gap.frames, 0);
			tell([["", `${space.source.command} (pid ${space.source.pid}), ${space.source.runtime}: ` +
				`${plural(space.codes.length, "piece")} of code, ` +
				`${plural(space.source.samples, "sample")} in JIT code` +
				(stride > 1 ? `, one of ${count(stride)} is shown` : "")],
				["bad", space.codes.length ? "" : noDump],
				missing ? ["bad", `${plural(missing, "frame")} without a name, in hatched places`]
					: ["faint", "Every frame has its name."],
				["faint", "Addresses grow downwards. Times are from the first sample on."]]);
			return;
		}
		if (item.address) {
			tell([["name", `Mapped: ${data.names[item.name] || "(nothing known)"}`],
				["", `${item.address}, ${bytes(item.size)}, at ${duration(item.time)}`]]);
			return;
		}
		const region = space.regions[item.region];
		const where = `${address(region, item.offset)}, ${bytes(item.size)}`;
		const mapped = data.names[region[2]];
		if (item.frames !== undefined)
			tell([["name", "Frames without a name"],
				["", `${plural(item.frames, "frame")} from ${duration(item.load)} to ${duration(item.end)}, ` +
					`in the page at ${where}${mapped ? `, in ${mapped}` : ""}`],
				...reasonLines(item.reason)]);
		else
			this.tellCode(space, item, where);
	},

	tellCode(space, code, where)
	{
		const marks = space.marks.filter(mark => mark.region === code.region && mark.offset >= code.offset &&
			mark.offset < code.offset + code.size && mark.time >= code.load && mark.time < code.end);
		const flags = [code.flags & 1 && "moved here", code.flags & 2 && "of the process it was forked from",
			code.flags & 4 && "loaded again"].filter(Boolean);
		const stride = space.source.stride;

		tell([["name", shown[code.name]],
			["", `${where}; from ${duration(code.load)} ` +
				`${code.end === Infinity ? "on" : `to ${duration(code.end)}`}; ` +
				`${stride > 1 ? "about " : ""}${plural(marks.length * stride, "sample")}` +
				flags.map(flag => `; ${flag}`).join("")],
			["faint", code.before ? `Before it, here: ${shown[code.before.name]}` +
				(code.generation > 1 ? `, and ${plural(code.generation - 1, "other")}` : "") : ""]]);
	},

	select(item)
	{
		this.selected = item;
		this.tell(item);
		redraw();
	},

	// Around a place of the canvas; factors below 1 come nearer.
	zoom(x, y, timeFactor, placeFactor)
	{
		const b = this.bounds ?? this.all();
		const time = b.from + (x - this.left) / this.width * (b.to - b.from);
		const place = b.low + (y - this.top) / this.height * (b.high - b.low);
		const all = this.all();

		if ((b.to - b.from) * timeFactor < 100)
			timeFactor = 1;
		if ((b.high - b.low) * placeFactor < 1e-9)
			placeFactor = 1;
		b.from = Math.max(time - (time - b.from) * timeFactor, all.from);
		b.to = Math.min(time + (b.to - time) * timeFactor, all.to);
		b.low = Math.max(place - (place - b.low) * placeFactor, all.low);
		b.high = Math.min(place + (b.high - place) * placeFactor, all.high);
		this.bounds = b;
		redraw();
	},

	// Where keys zoom: what is visible of the selected stays so.
	center()
	{
		const item = this.selected, all = [this.left + this.width / 2, this.top + this.height / 2];

		if (item?.load === undefined || !this.isInTime(item))
			return all;
		const from = this.x(Math.max(item.load, this.bounds.from)), to = this.x(Math.min(item.end, this.bounds.to));
		const y = this.y((item.top + item.bottom) / 2);
		return y < this.top || y > this.top + this.height ? all : [(from + to) / 2, y];
	},

	move(x, y)
	{
		const b = this.bounds, all = this.all();
		const time = Math.max(Math.min(x * (b.to - b.from), all.to - b.to), all.from - b.from);
		const place = Math.max(Math.min(y * (b.high - b.low), all.high - b.high), all.low - b.low);

		b.from += time;
		b.to += time;
		b.low += place;
		b.high += place;
		redraw();
	},

	key(event)
	{
		const moves = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] };
		const factor = { "+": 0.7, "=": 0.7, "-": 1 / 0.7 }[event.key];

		if (!this.bounds)
			return false;
		if (moves[event.key])
			this.move(...moves[event.key]);
		else if (factor)
			this.zoom(...this.center(), factor, factor);
		else if (event.key === "]" || event.key === "[")
			this.show((this.current + (event.key === "]" ? 1 : data.memory.length - 1)) % data.memory.length);
		else
			return false;
		return true;
	},

	search(matches)
	{
		this.order = (this.space?.codes ?? []).filter(code =>
			!matches || matches(shown[code.name]) || matches(data.names[code.name]));
		this.matches = matches && new Set(this.order);
		by("found").textContent = matches ? plural(this.order.length, "piece") + " of code" : "";
	},

	step(direction)
	{
		const at = this.order.indexOf(this.selected), length = this.order.length, b = this.bounds;

		if (!length || !b)
			return;
		const code = this.order[at < 0 ? (direction > 0 ? 0 : length - 1) : (at + direction + length) % length];
		const high = Math.min((code.bottom - code.top) * 40, b.high - b.low), middle = (code.top + code.bottom) / 2;
		b.low = Math.max(middle - high / 2, this.all().low);
		b.high = Math.min(b.low + high, this.all().high);
		b.low = b.high - high;
		if (!this.isInTime(code)) {
			const span = b.to - b.from;
			b.from = Math.min(code.load - span / 10, this.all().to - span);
			b.to = b.from + span;
		}
		this.select(code);
	},

	show(number)
	{
		this.current = number;
		this.bounds = null;
		by("process").value = String(number);
		this.search(searched());
		this.select(null);
	},

	reset()
	{
		const all = this.all(), changed = this.bounds && Object.keys(all).some(key => all[key] !== this.bounds[key]);

		this.bounds = null;
		this.select(null);
		return changed;
	},
};

