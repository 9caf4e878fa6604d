import { expect, test } from 'vitest';
import { errorMessage } from './error-message.js';

test.each([
  [new RangeError('too large'), 'too large'],
  ['refused', 'refused'],
  [undefined, 'undefined'],
])('errorMessage(%o) is %s', (error, message) => {
  expect(errorMessage(error)).toBe(message);
});
