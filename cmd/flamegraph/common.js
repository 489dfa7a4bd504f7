
// SPDX-License-Identifier: GPL-2.0-or-later
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const by = id => document.getElementById(id);
const COMMAND = 0, KERNEL = 1, NATIVE = 2, JIT = 3;
const [NAME, KIND, RUNTIME, PLACE, REASON] = [0, 1, 2, 3, 4];

// ---- words ----

const count = n => n.toLocaleString("en");
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

function percent(part, whole)
{
	if (!whole)
		return "-";
	const value = 100 * part / whole;
	// what is not all is not 100, and what is there is not 0
	if (part === whole)
		return "100 %";
	if (part && value < 0.05)
		return `${Math.max(value, 0.01).toFixed(2)} %`;
	return value < 99.95 ? `${value.toFixed(1)} %` : `${Math.min(value, 99.99).toFixed(2)} %`;
}

// Plain names of C++, nested or not; what is more than that is left as it is.
function cppName(name)
{
	const nested = /^_ZN[KVr]*(St)?(.*)$/s.exec(name), plain = /^_ZL?(\d.*)$/s.exec(name);
	const parts = nested?.[1] ? ["std"] : [];
	let rest = nested?.[2] ?? plain?.[1];

	if (!rest)
		return name;
	while (rest && rest[0] !== "E" && (nested || !parts.length)) {
		const special = /^[CD][0-3]/.exec(rest), length = /^L?(\d+)/.exec(rest);
		if (special && parts.length) {
			parts.push((rest[0] === "D" ? "~" : "") + parts[parts.length - 1]);
			rest = rest.slice(2);
			continue;
		}
		if (!length)
			return name;
		const end = length[0].length + Number(length[1]);
		const part = rest.slice(length[0].length, end);
		parts.push(part.startsWith("_GLOBAL__N") ? "(anonymous)" : part);
		rest = rest.slice(end);
	}
	return (rest || plain) && parts.length ? parts.join("::") : name;
}

const javaTypes = { B: "byte", C: "char", D: "double", F: "float", I: "int", J: "long", S: "short", Z: "boolean" };

// Lpackage/Class;method(types)type, which the JVM's agent writes, as perf shows it.
function javaName(name)
{
	const form = /^L([^;()]+);([^;()]+)\(([^()]*)\)\S+$/.exec(name), types = [];

	if (!form)
		return name;
	for (let rest = form[3]; rest;) {
		const type = /^(\[*)(?:L([^;]+);|([BCDFIJSZ]))/.exec(rest);
		if (!type)
			return name;
		types.push((type[2]?.replaceAll("/", ".") ?? javaTypes[type[3]]) + "[]".repeat(type[1].length));
		rest = rest.slice(type[0].length);
	}
	return `${form[1].replaceAll("/", ".")}.${form[2]}(${types.join(", ")})`;
}

const demangled = name => name.startsWith("_Z") ? cppName(name) : javaName(name);
const shown = data.names.map(demangled);

function frameName(frame)
{
	if (frame[NAME])
		return shown[frame[NAME]];
	if (frame[KIND] === KERNEL)
		return "[kernel]";
	return frame[PLACE] ? `[unknown] ${data.names[frame[PLACE]]}` : "[unknown]";
}

const frameNames = data.frames.map(frameName);
const unresolved = data.frames.map(frame => frame[REASON] >= 0 && frame[KIND] !== KERNEL);

function duration(ns)
{
	const sign = ns < 0 ? "-" : "", n = Math.abs(ns);
	for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
		if (n >= size)
			return `${sign}${Number((n / size).toPrecision(4))} ${unit}`;
	return n ? `${sign}${n} ns` : "0 s";
}

function bytes(n)
{
	for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]])
		if (n >= size)
			return `${Number((n / size).toPrecision(3))} ${unit}`;
	return plural(n, "byte");
}

const address = (region, offset) => "0x" + (BigInt(region[0]) + BigInt(offset)).toString(16);

// ---- colours ----

const dark = matchMedia("(prefers-color-scheme: dark)");
const hues = [265, 172, 212, 312, 130, 34, 238, 290, 100];
let color = {}, pattern = new Map();

function readColors()
{
	const style = getComputedStyle(document.documentElement);
	for (const name of ["ink", "faint", "line", "accent", "bad", "match", "match-ink", "bar"])
		color[name] = style.getPropertyValue(`--${name}`).trim();
	color.font = getComputedStyle(document.body).fontFamily;
	pattern.clear();
}

function hash(text)
{
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return (h >>> 8) % 1000 / 1000;
}

// Names of one kind differ a little, so that neighbours are told apart.
const shades = frameNames.map(hash);
const lightness = shade => dark.matches ? 30 + 10 * shade : 74 + 11 * shade;
const runtimeColor = (runtime, shade) =>
	`hsl(${hues[runtime % hues.length]} ${dark.matches ? 42 : 58}% ${lightness(shade)}%)`;
const kernelColor = shade => `hsl(28 ${dark.matches ? 38 : 66}% ${lightness(shade)}%)`;
const nativeColor = shade =>
	`hsl(212 ${dark.matches ? 9 : 14}% ${lightness(shade) + (dark.matches ? 0 : 5)}%)`;

function frameColor(number)
{
	const frame = data.frames[number], shade = shades[number];

	switch (frame[KIND]) {
	case COMMAND: return dark.matches ? "#3b4149" : "#c9ced4";
	case KERNEL: return kernelColor(shade);
	case NATIVE: return nativeColor(shade);
	}
	return runtimeColor(frame[RUNTIME], shade);
}

// Hatched: also told apart without colours. What is no JIT code is no failure, and pale.
function hatch(context, pale = false)
{
	const key = context.canvas, patterns = pattern.get(key) ?? [];

	if (!patterns[Number(pale)]) {
		const tile = document.createElement("canvas"), pen = tile.getContext("2d");
		const [ground, stripes] = pale ? dark.matches ? ["#30363d", "#59626e"] : ["#eceef1", "#b4bcc6"]
			: dark.matches ? ["#5c2724", "#a5403a"] : ["#f6cfcb", "#d9675f"];
		tile.width = tile.height = 8;
		pen.fillStyle = ground;
		pen.fillRect(0, 0, 8, 8);
		pen.strokeStyle = stripes;
		pen.lineWidth = 1.6;
		for (const x of [-4, 0, 4, 8]) {
			pen.moveTo(x - 2, 10);
			pen.lineTo(x + 10, -2);
		}
		pen.stroke();
		patterns[Number(pale)] = context.createPattern(tile, "repeat");
		pattern.set(key, patterns);
	}
	return patterns[Number(pale)];
}

function drawLegend()
{
	const legend = by("legend"), seen = new Map();

	const add = (label, paint) => {
		const item = document.createElement("span"), swatch = document.createElement("canvas");
		swatch.width = swatch.height = 24;
		const context = swatch.getContext("2d");
		context.fillStyle = paint(context);
		context.fillRect(0, 0, 24, 24);
		item.append(swatch, label);
		legend.append(item);
	};
	legend.replaceChildren();
	for (const frame of data.frames)
		if (frame[KIND] === JIT)
			seen.set(frame[RUNTIME], true);
	if (view === "flame") {
		for (const runtime of [...seen.keys()].sort((a, b) => a - b))
			add(`JIT code of ${runtime ? data.runtimes[runtime] : "an unknown runtime"}`,
				() => runtimeColor(runtime, 0.5));
		add("Code of files", () => nativeColor(0.5));
		if (data.frames.some(frame => frame[KIND] === KERNEL))
			add("Kernel", () => kernelColor(0.5));
		if (unresolved.some((is, number) => is && data.frames[number][KIND] === JIT))
			add("JIT code without a name", context => hatch(context));
		if (unresolved.some((is, number) => is && data.frames[number][KIND] !== JIT))
			add("Other code without a name", context => hatch(context, true));
	} else {
		add("Code", () => codeColor(0));
		add("Code where other code was before", () => codeColor(1));
		add("Sample", () => color.ink);
		add("Sample without a name", () => color.bad);
		add("Hidden or missing code", context => hatch(context));
		add("Something is mapped", () => color.accent);
	}
}

// ---- what both views do ----

let view = "flame";

// A canvas as large as its view, in pixels of the screen; returns its size in CSS pixels.
function fit(element, canvas)
{
	const scale = devicePixelRatio || 1, width = element.clientWidth, height = element.clientHeight;
	const context = canvas.getContext("2d");

	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
		canvas.style.height = `${height}px`;
	}
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	return [context, width, height];
}

let waiting = false;

function redraw()
{
	if (waiting)
		return;
	waiting = true;
	requestAnimationFrame(() => {
		waiting = false;
		if (view === "flame")
			flame.draw();
		else
			memory.draw();
	});
}

// Lines of [class, text].
function tell(lines)
{
	by("detail").replaceChildren(...lines.filter(line => line[1]).map(([kind, text]) => {
		const line = document.createElement("p");
		line.className = kind;
		line.textContent = text;
		line.title = text;
		return line;
	}));
}

const reasonLines = reason => reason < 0 ? [] : [
	["bad", `Without a name: ${data.reasons[reason][1]}`],
	["faint", data.reasons[reason][2]],
];

// null: nothing is searched for. Else what tells whether a text matches.
function searched()
{
	const text = by("search").value, regex = /^\/(.+)\/$/s.exec(text);

	if (!text)
		return null;
	if (regex) {
		try {
			const compiled = new RegExp(regex[1], "i");
			return candidate => compiled.test(candidate);
		} catch {
			return () => false;
		}
	}
	const lower = text.toLowerCase();
	return candidate => candidate.toLowerCase().includes(lower);
}

