import { badRequest, statusError } from '@slipway/api-machinery/errors/status-errors';

/** Returns why a string is not a resourceVersion, in the words of Go; undefined when it is one. */
function resourceVersionProblem(text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (BigInt(text) >= 1n << 64n) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`;
  return undefined;
}

/**
 * The resourceVersion of a list; 0 when none was given.
 *
 * @throws StatusError BadRequest when it is not a number.
 */
export function parseAskedVersion(text: string | undefined): number {
  return parseVersion(text, (message) => badRequest(`invalid resource version: ${message}`));
}

/**
 * The resourceVersion that a watch begins at, or that an object is read at; 0 when none was given.
 *
 * @throws StatusError 500 without a reason when it is not a number, as Kubernetes does.
 */
export function parseReadVersion(text: string | undefined): number {
  return parseVersion(text, (message) => statusError(500, undefined, message));
}

function parseVersion(text: string | undefined, refusal: (message: string) => Error): number {
  if (text === undefined || text === '') return 0;
  const problem = resourceVersionProblem(text);
  if (problem === undefined) return Number(text);
  throw refusal(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`);
}

/**
 * metadata.resourceVersion of an object that is being written; 0 = none.
 *
 * @throws StatusError 500 when it is not a number, as Kubernetes does.
 */
export function parseWrittenVersion(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  const problem = resourceVersionProblem(text);
  if (problem !== undefined) throw statusError(500, undefined, problem);
  return Number(text);
}
