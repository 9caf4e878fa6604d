import { configMap, configMaps, fill, type HostileInput, many, mebibyte, most } from './input.js';

/** Texts that are JSON, or nearly. */
export const hostileJson: readonly HostileInput[] = [
  { what: '30,000 lists in each other', body: configMap(`,"data":${'['.repeat(30_000)}${']'.repeat(30_000)}`) },
  { what: '3 MiB of {"a":', body: fill('{"a":', most) },
  { what: '3 MiB of [', body: '['.repeat(most) },
  { what: '3 MiB of 1,', body: `[${fill('1,', most)}1]` },
  { what: '3 MiB of one key given again and again', body: `{${fill('"a":1,', most)}"a":1}` },
  { what: '3 MiB of keys', body: configMap(`,"data":{${many(190_000, (index) => `"k${index}":"v"`)}}`) },
  {
    what: '3 MiB of unknown fields, strictly',
    path: `${configMaps}?fieldValidation=Strict`,
    body: configMap(`,${many(200_000, (index) => `"k${index}":"v"`)}`),
  },
  { what: '3 MiB of escapes', body: configMap(`,"data":{"a":"${fill('\\u0041', most - 200)}"}`) },
  { what: '3 MiB of lone surrogates', body: configMap(`,"data":{"a":"${fill('\\ud800', most - 200)}"}`) },
  { what: '3 MiB of one number', body: `{"a":${'9'.repeat(most)}}` },
  { what: '3 MiB of blanks', body: `${' '.repeat(most)}{` },
  { what: '__proto__ as a key', body: configMap(',"__proto__":{"polluted":true}') },
  { what: 'bytes that are no UTF-8, 3 MiB', body: Buffer.alloc(most, 0xc3) },
  { what: 'a body of 4 MiB', body: 'x'.repeat(4 * mebibyte) },
];
