import { expect, test } from 'vitest';
import { Sessions } from './sessions.js';

function sessions(): Sessions {
  let count = 0;
  return new Sessions(() => `secret-${count++}`);
}

test('a token signs in once', () => {
  const known = sessions();
  const { token } = known;
  expect(known.signIn(`${token}x`)).toBeUndefined();
  const session = known.signIn(token);
  expect(session && known.isKnown(session)).toBe(true);
  expect(known.signIn(token)).toBeUndefined();
  expect(known.token).not.toBe(token);
});

test('cookie and header have to be of the same session', () => {
  const known = sessions();
  const first = known.signIn(known.token);
  const second = known.signIn(known.token);
  if (!first || !second) throw new Error('not signed in');
  expect(known.isKnown({ id: first.id, proof: second.proof })).toBe(false);
  expect(known.isKnown({ id: first.id, proof: '' })).toBe(false);
  expect(known.isKnown({ id: '', proof: first.proof })).toBe(false);
});

test('the oldest of too many sessions ends', () => {
  const known = sessions();
  const all = Array.from({ length: 33 }, () => known.signIn(known.token) ?? { id: '', proof: '' });
  expect(all.map((session) => known.isKnown(session))).toEqual([false, ...Array(32).fill(true)]);
});

test('a session that ends is named once, whether it was ended or too many others began', () => {
  const ended: string[] = [];
  let count = 0;
  const known = new Sessions(
    () => `secret-${count++}`,
    ({ id }) => ended.push(id),
  );
  const [first, second, ...others] = Array.from({ length: 33 }, () => known.open());
  expect(ended).toEqual([first?.id]);
  known.end(second);
  known.end(second);
  expect(ended).toEqual([first?.id, second?.id]);
  expect(others.every((session) => known.isKnown(session))).toBe(true);
});
