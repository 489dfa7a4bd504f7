// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the page ----

function summarize()
{
	// JIT memory is that of the profile as it is
	const tree = data.trees[view === "flame" ? flame.current : 0], summary = by("summary"), parts = [];
	const mark = (part, whole) => {
		const bold = document.createElement("b");
		bold.textContent = percent(part, whole);
		bold.className = part === whole ? "good" : part / whole < 0.95 ? "bad" : "";
		return bold;
	};

	parts.push(plural(tree.samples, "sample") + (data.events.length ? ` of ${data.events.join(", ")}` : ""));
	if (tree.jitFrames)
		parts.push(" · ", mark(tree.jitFramesNamed, tree.jitFrames),
			` of ${plural(tree.jitFrames, "frame")} in JIT code named`);
	else if (tree.samples)
		parts.push(" · none in JIT code");
	if (tree.chains)
		parts.push(" · ", mark(tree.chainsComplete, tree.chains),
			` of ${plural(tree.chains, "call chain")} complete`);
	summary.replaceChildren(...parts);
	for (const button of by("trees").children)
		button.setAttribute("aria-pressed", String(Number(button.value) === flame.current));
}

function shownView()
{
	return view === "flame" ? flame : memory;
}

function show(name)
{
	view = name;
	for (const other of ["flame", "memory"]) {
		by(other).hidden = other !== name;
		by(`show-${other}`).setAttribute("aria-pressed", String(other === name));
	}
	by("process").hidden = name !== "memory" || data.memory.length < 2;
	by("trees").hidden = name !== "flame" || data.trees.length < 2;
	summarize();
	drawLegend();
	shownView().search(searched());
	if (name === "flame")
		flame.tell(flame.selected);
	else
		memory.tell(memory.selected);
	redraw();
}

function key(event)
{
	const typing = event.target === by("search");

	if (event.ctrlKey || event.altKey || event.metaKey || by("help").open)
		return;
	if (event.key === "Escape") {
		if (typing || !shownView().reset()) {
			by("search").value = "";
			shownView().search(null);
		}
		by(view).focus();
		redraw();
	} else if (typing && event.key === "Enter") {
		by(view).focus();
		shownView().step(1);
	} else if (typing || event.target.closest("select")) {
		return;
	} else if (event.key === "/") {
		by("search").focus();
		by("search").select();
	} else if (event.key === "n" || event.key === "N") {
		shownView().step(event.key === "n" ? 1 : -1);
	} else if (event.key === "b" && view === "flame" && data.trees.length > 1) {
		flame.show(1 - flame.current);
	} else if (event.key === "m") {
		show(view === "flame" ? "memory" : "flame");
		by(view).focus();
	} else if (event.key === "?") {
		by("help").showModal();
	} else if (event.target.closest("button") || !shownView().key(event)) {
		return;
	}
	event.preventDefault();
}

function listenToFlame()
{
	flame.element.addEventListener("mousemove", event => {
		const found = flame.at(event), node = found && !found.merged ? found.node : -1;
		if (found)
			flame.tell(found.node, found.merged);
		else
			flame.tell(flame.selected);
		if (node !== flame.hovered) {
			flame.hovered = node;
			redraw();
		}
	});
	flame.element.addEventListener("mouseleave", () => {
		flame.hovered = -1;
		flame.tell(flame.selected);
		redraw();
	});
	flame.element.addEventListener("click", event => {
		const found = flame.at(event);
		if (found)
			flame.zoom(found.merged ? flame.narrow(found, event) : found.node);
	});
	flame.element.addEventListener("scroll", redraw);
}

function listenToMemory()
{
	let drag = null;

	memory.element.addEventListener("wheel", event => {
		const box = memory.canvas.getBoundingClientRect(), factor = Math.exp(Math.sign(event.deltaY || event.deltaX) * 0.18);
		memory.zoom(event.clientX - box.left, event.clientY - box.top, factor, event.shiftKey ? 1 : factor);
		event.preventDefault();
	}, { passive: false });
	memory.element.addEventListener("pointerdown", event => {
		drag = { x: event.clientX, y: event.clientY, moved: false };
		memory.element.setPointerCapture(event.pointerId);
	});
	memory.element.addEventListener("pointermove", event => {
		if (drag && memory.bounds) {
			drag.moved ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 3;
			memory.move((drag.x - event.clientX) / memory.width, (drag.y - event.clientY) / memory.height);
			Object.assign(drag, { x: event.clientX, y: event.clientY });
			return;
		}
		const found = memory.at(event);
		if (found !== memory.hovered) {
			memory.hovered = found && found.end !== undefined ? found : null;
			memory.tell(found ?? memory.selected);
			redraw();
		}
	});
	memory.element.addEventListener("pointerup", event => {
		if (drag && !drag.moved)
			memory.select(memory.at(event));
		drag = null;
	});
}

function start()
{
	document.title = `${data.input} – perfjit-check`;
	by("title").textContent = data.input;
	data.trees.forEach((tree, number) => {
		const button = document.createElement("button");
		button.value = String(number);
		button.textContent = tree.label;
		button.addEventListener("click", () => flame.show(number));
		by("trees").prepend(button);
	});
	data.memory.forEach((space, number) =>
		by("process").append(new Option(`${space.command} (${space.pid})`, String(number))));
	by("process").addEventListener("change", event => memory.show(Number(event.target.value)));
	by("show-flame").addEventListener("click", () => show("flame"));
	by("show-memory").addEventListener("click", () => show("memory"));
	by("reset").addEventListener("click", () => shownView().reset());
	by("help-button").addEventListener("click", () => by("help").showModal());
	by("search").addEventListener("input", () => {
		shownView().search(searched());
		redraw();
	});
	addEventListener("keydown", key);
	addEventListener("resize", redraw);
	// also when a scroll bar comes or goes
	const observer = new ResizeObserver(redraw);
	observer.observe(flame.element);
	observer.observe(memory.element);
	dark.addEventListener("change", () => {
		readColors();
		drawLegend();
		redraw();
	});
	listenToFlame();
	listenToMemory();
	readColors();
	show("flame");
	by("flame").focus();
}

start();
