// SPDX-License-Identifier: Apache-2.0
// A whole adapter in JavaScript: max and average pooling, forward, of any spatial rank. The same as
// adapters/python/example.py.
'use strict';

const HELLO = {
  type: 'hello', protocol: 1, name: 'example', version: '1.0', profile: 'onnx',
  capabilities: {
    ops: ['max_pool', 'avg_pool'], modes: ['forward'], dtypes: ['f64', 'f32'], attrs: [],
    memory: ['contiguous'],
  },
};
const ARRAYS = {f64: Float64Array, f32: Float32Array};
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

// All index vectors below `sizes`, the last axis fastest.
function* coordinates(sizes) {
  for (let k = 0; k < product(sizes); ++k)
    yield sizes.map((n, axis) => Math.floor(k / product(sizes.slice(axis + 1))) % n);
}

// One slice: `x` is its values, row by row.
function* pooled(op, x, sizes, outputs, {kernel, stride, pad_begin: pad}) {
  for (const corner of coordinates(outputs)) {
    const cells = [];
    for (const tap of coordinates(kernel)) {
      const cell = tap.map((t, axis) => corner[axis] * stride[axis] - pad[axis] + t);
      if (cell.every((i, axis) => 0 <= i && i < sizes[axis]))
        cells.push(x[cell.reduce((at, i, axis) => at * sizes[axis] + i, 0)]);
    }
    yield op === 'max_pool' ? cells.reduce((a, b) => (b > a ? b : a), -Infinity)
                            : cells.reduce((a, b) => a + b, 0) / product(kernel);
  }
}

function answer({op, dtype, input, attrs}) {
  attrs = {stride: attrs.kernel, pad_begin: attrs.kernel.map(() => 0), ...attrs};
  const leading = input.shape.slice(0, -attrs.kernel.length), sizes = input.shape.slice(leading.length);
  const outputs = sizes.map(
      (n, axis) => Math.floor((n + 2 * attrs.pad_begin[axis] - attrs.kernel[axis]) / attrs.stride[axis]) + 1);
  if (sizes.length < attrs.kernel.length || Math.min(...outputs) < 1)
    return {rejected: 'the kernel does not fit into the padded input'};
  const bytes = Uint8Array.from(Buffer.from(input.bits, 'hex'));
  const x = new ARRAYS[dtype](bytes.buffer), block = product(sizes), y = [];
  for (let at = 0; at < x.length; at += block)
    y.push(...pooled(op, x.subarray(at, at + block), sizes, outputs, attrs));
  const bits = Buffer.from(ARRAYS[dtype].from(y).buffer).toString('hex');
  return {outputs: {y: {dtype, shape: [...leading, ...outputs], bits}}};
}

require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const message = JSON.parse(line);
  const reply = message.type === 'hello' ? HELLO : {id: message.id, ...answer(message.case)};
  process.stdout.write(JSON.stringify(reply) + '\n');
});
