'use strict';
function leaf(n) { let t = 0; for (let i = 0; i < n; i++) t += i % 7; return t; }
function middle(n) { return leaf(n) + leaf(n >> 1); }
function outer(n) { return [n, n + 1].map(middle).reduce((a, b) => a + b); }
const end = process.cpuUsage().user + 600000; let s = 0;
while (process.cpuUsage().user < end) s += outer(3000);
