import { authorization } from './authorizer.js';
import { conversions } from './conversions.js';
import { kubernetes } from './kubernetes.js';
import { lists } from './lists.js';
import { network } from './network.js';
import { operators } from './operators.js';
import type { Overload } from './overload.js';
import { strings } from './strings.js';
import { times } from './times.js';

let byName: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Every function and operator that expressions may call, with the ways to call it. Made when the first expression comes. */
export function functions(): ReadonlyMap<string, readonly Overload[]> {
  if (byName) return byName;
  const found = new Map<string, Overload[]>();
  for (const one of [
    ...operators(),
    ...conversions(),
    ...times(),
    ...strings(),
    ...lists(),
    ...network(),
    ...kubernetes(),
    ...authorization(),
  ]) {
    found.set(one.name, [...(found.get(one.name) ?? []), one]);
  }
  byName = found;
  return byName;
}
