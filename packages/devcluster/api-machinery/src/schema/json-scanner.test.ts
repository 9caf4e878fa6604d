import { parseJson } from '@slipway/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, readJson } from './json-scanner.js';

const foundIn = (body: string | Uint8Array) => {
  const { value, duplicates } = readJson(body);
  return { value, duplicates };
};

/** Elements and fields of a value, with those of all that is in it. */
const partsOf = (value: unknown): number =>
  Object.values(Object(value) as object).reduce<number>(
    (sum, part) => sum + 1 + (typeof part === 'object' ? partsOf(part) : 0),
    0,
  );

const refused = (body: string | Uint8Array): string => {
  try {
    readJson(body);
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('readJson()', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['apiVersion: v1', "invalid character 'a' looking for beginning of value"],
    ['{"spec":{"size":"S",}}', "invalid character '}' looking for beginning of object key string"],
    ['{"spec":{"size":"S"}} x', "invalid character 'x' after top-level value"],
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['["\n"]', "invalid character '\\n' in string literal"],
    ['["\\x"]', "invalid character 'x' in string escape code"],
    ['["\\u00g0"]', "invalid character 'g' in \\u hexadecimal character escape"],
    ['[-]', "invalid character ']' in numeric literal"],
    ['[1.]', "invalid character ']' after decimal point in numeric literal"],
    ['[1e]', "invalid character ']' in exponent of numeric literal"],
    ['[01]', "invalid character '1' after array element"],
    ['[é]', "invalid character 'Ã' looking for beginning of value"],
  ])('refuses %s', (body, message) => {
    expect(refused(body)).toBe(message);
  });

  test.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"spec":{"x":1,"x":2,"x":3}}', ['spec.x']],
    ['{"spec":{"ports":[{},{"port":1,"port":2}]}}', ['spec.ports[1].port']],
    ['{"a":{"b":1},"a":{"b":2,"b":3}}', ['a', 'a.b']],
    ['{"a":":","b":"\\":\\\\","c:":1}', []],
    ['{"\\u0061":1,"a":2}', ['a']],
  ])('finds the duplicate names of %s', (body, duplicates) => {
    expect(foundIn(body)).toEqual({ value: JSON.parse(body), duplicates });
  });

  test.each([
    ['an object nested 30,000 deep', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`, 'exceeded max depth'],
    ['more values than an object needs', `[${'1,'.repeat(100_001)}1]`, 'exceeded max number of values'],
    ['3 MiB of opened objects', '{"a":'.repeat(600_000), 'exceeded max depth'],
    ['3 MiB of an unclosed string', `"${'\\"'.repeat(1_500_000)}`, 'unexpected end of JSON input'],
    ['3 MiB of backslashes', `"${'\\'.repeat(3_000_001)}"`, 'unexpected end of JSON input'],
    ['3 MiB of quotes', '"'.repeat(3_000_000), "invalid character '\"' after top-level value"],
  ])('refuses %s', (_, body, message) => {
    expect(refused(body)).toBe(message);
  });

  test('reads 99,000 duplicates', () => {
    const body = `{${'"a":1,'.repeat(99_000)}"a":2}`;
    expect(foundIn(body)).toEqual({ value: { a: 2 }, duplicates: ['a'] });
  });

  test('reads a number of three million digits', () => {
    expect(readJson(`[${'9'.repeat(3_000_000)}]`).value).toEqual([Number.POSITIVE_INFINITY]);
  });

  test('refuses invalid UTF-8', () => {
    expect(refused(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).toBe('invalid UTF-8 in JSON input');
  });

  test.each(['{"__proto__":{"a":1}}', '{"\\u005f_proto__":{"a":1}}'])('keeps the name in %s', (body) => {
    expect(Object.entries(readJson(body).value as object)).toEqual([['__proto__', { a: 1 }]]);
  });

  test('any JSON: the value is that of parseJson(), and nothing is a duplicate', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(foundIn(Buffer.from(text))).toEqual({ value: parseJson(text), duplicates: [] });
      }),
    );
  });

  test('any JSON, however it is written: its parts are counted', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', '\n\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJson(text).parts).toBe(partsOf(value));
      }),
    );
  });

  test('parts that are empty but for spaces have no parts', () => {
    expect(readJson('{ "a": { \n\t}, "b": [ ], "c": [ {} ] }').parts).toBe(4);
  });

  test('any text: accepted exactly when JSON.parse accepts it', () => {
    const nearly = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
      const here = at % (text.length + 1);
      return text.slice(0, here) + put + text.slice(here + 1);
    });
    fc.assert(
      fc.property(nearly, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(refused(text) === 'accepted').toBe(valid);
      }),
    );
  });
});

test('readJson() reads half a pair of surrogates as Go does, and nothing else differently', () => {
  const signs = ['a', '\\', '"', '\\ud800', '\ud83d\ude00', '\ud800', '\udc00', '\\u'];
  const text = fc.array(fc.constantFrom(...signs), { maxLength: 6 }).map((all) => all.join(''));
  const escaped = (json: string) => json.replace(/[\ud800-\udfff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
  fc.assert(
    fc.property(text, (value) => {
      expect(readJson(escaped(JSON.stringify({ value }))).value).toEqual({ value: value.replace(lone, '\ufffd') });
    }),
  );
});

const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
