import { expect, test } from 'vitest';
import { silentLog } from '../log/logger.js';
import { failureStatus, StatusError } from '../transport/status.js';
import { DenialLog } from './denial-log.js';

function denied(reason: string, message: string): StatusError {
  return new StatusError(failureStatus({ reason, message }));
}

test('DenialLog logs each right once, and nothing else', () => {
  const logged: string[] = [];
  const denials = new DenialLog({ ...silentLog, warn: (message) => void logged.push(message) });
  const may = (verb: string, name: string) =>
    `pods "${name}" is forbidden: User "u" cannot ${verb} resource "pods" in API group "" in the namespace "a"`;
  denials.report('first', denied('Forbidden', may('get', 'a')));
  denials.report('again', denied('Forbidden', may('get', 'b')));
  denials.report('another', denied('Forbidden', may('list', 'a')));
  denials.report('of a policy', denied('Forbidden', 'a policy denied the request'));
  denials.report('other reason', denied('NotFound', may('get', 'c')));
  denials.report('no status', new Error(may('get', 'd')));
  expect(logged).toEqual(['first', 'another']);
});
