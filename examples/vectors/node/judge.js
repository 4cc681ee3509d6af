// SPDX-License-Identifier: Apache-2.0
// Judges answers by the vectors' files alone: node judge.js VECTORS PROFILE < ANSWERS (see ../python/judge.py).
'use strict';
const fs = require('fs');
const path = require('path');

// A hexadecimal float, exactly: at most 53 bits, scaled in two steps so that subnormals come out right.
function hex(s) {
  const [, sign, digits, fraction, exponent] = /^(-?)0x([0-9a-f]+)\.?([0-9a-f]*)p([+-]\d+)$/.exec(s);
  const e = Number(exponent) - 4 * fraction.length;
  const whole = Number(BigInt('0x' + digits + fraction)), half = Math.trunc(e / 2);
  return (sign ? -1 : 1) * whole * 2 ** half * 2 ** (e - half);
}
const value = (x) => (typeof x === 'string' ? hex(x) : x);
// -0 lies just below +0.
function atMost(a, b) {
  const x = value(a), y = value(b);
  return x < y || (x === y && !(Object.is(y, -0) && !Object.is(x, -0)));
}

function permitted(output, k, x) {
  const also = output.also ? output.also[k] : [];
  if (also.includes('open')) return true;
  if (['nan', 'inf', '-inf'].includes(x)) return also.includes(x);
  const lowest = output.lowest[k], highest = (output.highest || output.lowest)[k];
  return lowest !== null && atMost(lowest, x) && atMost(x, highest);
}

function wrong(answer, given) {
  if (!answer) return 'rejected' in given ? null : 'answered, but must be rejected';
  for (const [name, output] of Object.entries(answer)) {
    if (name === 'dtypes') continue;
    const values = (given.outputs || {})[name];
    if (!values || values.shape.join() !== output.shape.join()) return `${name} is missing or of another shape`;
    for (let k = 0; k < values.data.length; ++k) {
      const right = name === 'indices'
        ? output.any_of[k][0] === 'open' || output.any_of[k].includes(value(values.data[k]))
        : permitted(output, k, values.data[k]);
      if (!right) return `${name}[${k}] is ${values.data[k]}`;
    }
  }
  return null;
}

const [folder, profile] = process.argv.slice(2);
const given = new Map();
for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const a = JSON.parse(line);
  given.set(`${a.id} ${a.dtype}`, a);
}
let judged = 0, bad = 0;
for (const file of fs.readdirSync(folder).filter((f) => /^\w+\.\w+\.json$/.test(f)).sort()) {
  for (const vector of JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')).vectors) {
    if (!vector.profiles.includes(profile)) continue;
    for (const dtype of vector.dtypes) {
      const answer = (vector.answers || []).find((a) => a.dtypes.includes(dtype));
      const one = given.get(`${vector.id} ${dtype}`) || {};
      if ('declined' in one) continue;
      ++judged;
      const why = wrong(answer, one);
      if (why !== null) { ++bad; console.log(`${vector.id} (${dtype}): ${why}`); }
    }
  }
}
console.log(`${bad} of ${judged} judged vector instances deviate`);
process.exitCode = bad ? 1 : 0;
