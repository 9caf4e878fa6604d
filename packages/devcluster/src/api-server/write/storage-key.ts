import type { Call, Core } from '../core/core.js';

/** Returns the etcd key of a call's object, which storage errors name. It begins with the flag `--etcd-prefix`. */
export function storageKey({ storagePrefix }: Pick<Core, 'storagePrefix'>, call: Call): string {
  const { group, plural } = call.definition;
  return [storagePrefix, group, plural, call.namespace, call.name].filter(Boolean).join('/');
}

/** Returns the error of a write whose precondition names the uid of another object. */
export function otherUid(core: Core, call: Call, given: string, stored: string | undefined): string {
  return (
    `StorageError: invalid object, Code: 4, Key: ${storageKey(core, call)}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${given}, UID in object meta: ${stored}`
  );
}
