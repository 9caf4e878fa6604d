import { expect, test } from 'vitest';
import { readImages } from './images-file.js';

test('readImages() reads what is said of all images, and of some', () => {
  const scenario = readImages(`
bandwidth: 12Mi
latency: 30ms
images:
  - {name: registry.example/app, size: 300Mi}
  - {name: 'web:1', error: not found, failures: 2}
`);
  const mebi = 1024 ** 2;
  expect(scenario).toEqual({
    bytesPerSecond: 12 * mebi,
    others: { sizeBytes: 50 * mebi, latencyMs: 30 },
    named: new Map([
      ['registry.example/app', { sizeBytes: 300 * mebi, latencyMs: 30 }],
      ['web:1', { sizeBytes: 50 * mebi, latencyMs: 30, error: { text: 'not found', times: 2 } }],
    ]),
  });
  expect(readImages('')).toMatchObject({ bytesPerSecond: Number.POSITIVE_INFINITY, named: new Map() });
});

// file | what is wrong with it
const cases: [string, string][] = [
  ['[]', 'the file is not a map'],
  ['bandwith: 1Mi', 'the file has an unknown field "bandwith"; there are bandwidth, latency, size, images'],
  ['bandwidth: 0', 'bandwidth is zero: no image would ever come'],
  ['bandwidth: much', 'bandwidth is "much", which is not an amount of bytes (try 300Mi)'],
  ['latency: 3', 'latency is 3, which is not a duration (try 50ms)'],
  ['images: {}', 'images is not a list'],
  ['images: [{size: 1Mi}]', 'images[0].name is not the name of an image'],
  ['images: [{name: a, size: -1}]', 'images[0].size is -1, which is not an amount of bytes (try 300Mi)'],
  ['images: [{name: a, failures: 2}]', 'images[0].failures is there without an error'],
  ['images: [{name: a, error: x, failures: 0}]', 'images[0].failures is not a number from 1'],
  ['a: [', 'line 1'],
];

test.each(cases)('readImages(%j) says what is wrong', (text, why) => {
  expect(() => readImages(text)).toThrow(why);
});
