// SPDX-License-Identifier: GPL-2.0-or-later
// functions.js COUNT: makes so many functions, each run often enough for V8 to compile it.
const count = +process.argv[2];
const batch = 200;
let made = 0, sum = 0;

function source() {
	let text = 'const list = [];';
	for (const last = made + batch; made < last; made++)
		text += `function leaf_${made}(a, b) {
				let s = ${made};
				for (let i = 0; i < ${5 + made % 40}; i++)
					s = (s * ${3 + made % 5} + a - b + i) | 0;
				return s;
			}
			function middle_${made}(a, b) { return leaf_${made}(a, b) + leaf_${made}(b, a); }
			function outer_${made}(a, b) {
				return middle_${made}(a, b) ^ (middle_${made}(a + 1, b) >>> 1);
			}
			list.push(outer_${made});`;
	return text + 'return list;';
}

function drive(f, times) {
	let s = 0;
	for (let i = 0; i < times; i++)
		s = (s + f(i, s)) | 0;
	return s;
}

while (made < count) {
	const list = new Function(source())();
	for (let round = 0; round < 4; round++)
		for (const f of list)
			sum = (sum + drive(f, 120)) | 0;
	for (let i = 0; i < 10; i++)
		sum = (sum + drive(list[i * 7], 6000)) | 0;
}
console.log(made, sum);
