import type { Call, Core } from '../core/core.js';

/** Where etcd keeps the object of a call; texts of the storage name it. Below the flag `--etcd-prefix`. */
export function storageKey({ storagePrefix }: Pick<Core, 'storagePrefix'>, call: Call): string {
  const { group, plural } = call.definition;
  return [storagePrefix, group, plural, call.namespace, call.name].filter(Boolean).join('/');
}

/** What a write says whose precondition names the uid of another object. */
export function otherUid(core: Core, call: Call, given: string, stored: string | undefined): string {
  return (
    `StorageError: invalid object, Code: 4, Key: ${storageKey(core, call)}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${given}, UID in object meta: ${stored}`
  );
}
