import { expect, test } from 'vitest';
import { dependencyCycle } from './dependency-cycle.js';

// dependencies, the first is asked about | its circle
test.each([
  ['A:B B:C C:', undefined],
  ['A:B B:A', 'A -> B -> A'],
  ['A:X,B B:C C:A', 'A -> B -> C -> A'],
  // B and C wait for each other, and A for them; the circle is theirs.
  ['A:B B:C C:B', undefined],
  ['A:B,C B:D C:D D:', undefined],
])('dependencyCycle() of %s is %s', (text, circle) => {
  const [gate, ...others] = text.split(' ').map((part) => {
    const [name = '', list = ''] = part.split(':');
    return { gate: name, dependsOn: list === '' ? [] : list.split(',') };
  });
  expect(gate && dependencyCycle(gate, others)).toBe(circle);
});
