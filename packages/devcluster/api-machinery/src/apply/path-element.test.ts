import { expect, test } from 'vitest';
import { canonicalElement, compareElements, describePath, keyElement, valueElement } from './path-element.js';

test('keyElement() writes keys in the order of their names, as Go does', () => {
  expect(keyElement([['protocol', 'TCP'], ['containerPort', 80]])).toBe('k:{"containerPort":80,"protocol":"TCP"}'); // biome-ignore format: one pair beside the other
  expect(valueElement('a<b>&c')).toBe('v:"a\\u003cb\\u003e\\u0026c"');
});

test('canonicalElement() knows one way to write an element, and what it does not know', () => {
  expect(canonicalElement('k:{"b":1, "a":"x"}')).toBe('k:{"a":"x","b":1}');
  expect(canonicalElement('v: 1.0')).toBe('v:1');
  expect(canonicalElement('i:03')).toBe('i:3');
  expect(canonicalElement('f:kubectl.kubernetes.io/x')).toBe('f:kubectl.kubernetes.io/x');
  expect(canonicalElement('z:future')).toBeUndefined();
  for (const wrong of ['', 'f', 'spec', 'v:{', 'k:[]', 'i:x'])
    expect(() => canonicalElement(wrong)).toThrow(SyntaxError);
});

test('describePath() shows a path as conflicts do', () => {
  const path = ['f:spec', 'f:ports', 'k:{"name":"p","port":80}', 'f:tags', 'v:"x"', 'i:3'];
  expect(describePath(path)).toBe('.spec.ports[name="p",port=80].tags[="x"][3]');
});

test('compareElements() puts names before keys before values before indexes', () => {
  const inOrder = [
    'f:a',
    'f:b',
    'k:{"a":2}',
    'k:{"a":10}',
    'k:{"a":10,"b":1}',
    'k:{"a":"v"}',
    'k:{"a":"v!"}',
    'k:{"a":"w\\u003e"}',
    'k:{"a":"x"}',
    'k:{"b":1}',
    'v:2',
    'v:10',
    'v:"a"',
    'v:true',
    'i:2',
    'i:10',
  ];
  expect([...inOrder].reverse().sort(compareElements)).toEqual(inOrder);
});
