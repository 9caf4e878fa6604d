import { authorization } from './authorizer.js';
import { conversions } from './conversions.js';
import { kubernetes } from './kubernetes.js';
import { lists } from './lists.js';
import { network } from './network.js';
import { operators } from './operators.js';
import type { Overload } from './overload.js';
import { patches, strings } from './strings.js';
import { times } from './times.js';

/** Functions and operators by name, with the ways to call each. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

let everywhere: Functions | undefined;
let inPatches: Functions | undefined;

/** Returns the functions of every expression, creating them on the first call. */
export function functions(): Functions {
  everywhere ??= named([
    ...operators(),
    ...conversions(),
    ...times(),
    ...strings(),
    ...lists(),
    ...network(),
    ...kubernetes(),
    ...authorization(),
  ]);
  return everywhere;
}

/** Returns the functions of expressions that make patches. */
export function patchFunctions(): Functions {
  inPatches ??= new Map([...functions(), ...named(patches())]);
  return inPatches;
}

function named(overloads: readonly Overload[]): Functions {
  const found = new Map<string, Overload[]>();
  for (const one of overloads) found.set(one.name, [...(found.get(one.name) ?? []), one]);
  return found;
}
