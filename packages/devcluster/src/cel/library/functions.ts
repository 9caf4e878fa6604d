import { fail } from '../failure.js';
import { conversions } from './conversions.js';
import { kubernetes } from './kubernetes.js';
import { lists } from './lists.js';
import { network } from './network.js';
import { operators } from './operators.js';
import { type Overload, overload } from './overload.js';
import { strings } from './strings.js';
import { times } from './times.js';

/** Signatures around `authorizer`. Rules of custom resources know the functions, but have no authorizer to call. */
const authorization: readonly (readonly [string, string])[] = [
  ['path', 'kubernetes.authorization.Authorizer.(string): kubernetes.authorization.PathCheck'],
  ['group', 'kubernetes.authorization.Authorizer.(string): kubernetes.authorization.GroupCheck'],
  ['serviceAccount', 'kubernetes.authorization.Authorizer.(string, string): kubernetes.authorization.Authorizer'],
  ['resource', 'kubernetes.authorization.GroupCheck.(string): kubernetes.authorization.ResourceCheck'],
  ['subresource', 'kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck'],
  ['namespace', 'kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck'],
  ['name', 'kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.ResourceCheck'],
  ['check', 'kubernetes.authorization.PathCheck.(string): kubernetes.authorization.Decision'],
  ['check', 'kubernetes.authorization.ResourceCheck.(string): kubernetes.authorization.Decision'],
  ['allowed', 'kubernetes.authorization.Decision.(): bool'],
  ['reason', 'kubernetes.authorization.Decision.(): string'],
  ['errored', 'kubernetes.authorization.Decision.(): bool'],
  ['error', 'kubernetes.authorization.Decision.(): string'],
];

let byName: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Every function and operator that expressions may call, with the ways to call it. Made when the first expression comes. */
export function functions(): ReadonlyMap<string, readonly Overload[]> {
  if (byName) return byName;
  const found = new Map<string, Overload[]>();
  const denied = authorization.map(([name, signature]) =>
    overload(name, signature, () => fail('there is no authorizer')),
  );
  for (const one of [
    ...operators(),
    ...conversions(),
    ...times(),
    ...strings(),
    ...lists(),
    ...network(),
    ...kubernetes(),
    ...denied,
  ]) {
    found.set(one.name, [...(found.get(one.name) ?? []), one]);
  }
  byName = found;
  return byName;
}
