import type { User } from '@slipway/api-machinery/identity/user';

/** Names of the headers that tell another server who asks, as the ConfigMap `extension-apiserver-authentication` has them. */
export const remoteUserHeaders = {
  name: 'X-Remote-User',
  uid: 'X-Remote-Uid',
  group: 'X-Remote-Group',
  extraPrefix: 'X-Remote-Extra-',
} as const;

/** Whether a header, in lower case, says who asks: that of a client is not passed on. */
export function isRemoteUserHeader(header: string): boolean {
  const { name, uid, group, extraPrefix } = remoteUserHeaders;
  if (header.startsWith(extraPrefix.toLowerCase())) return true;
  return [name, uid, group].some((one) => one.toLowerCase() === header);
}

/** The headers for a user. Keys of extra values are percent-encoded where a header may not have their characters. */
export function headersOfUser({ name, uid, groups, extra = {} }: User): Record<string, string | readonly string[]> {
  return {
    [remoteUserHeaders.name]: name,
    ...(uid && { [remoteUserHeaders.uid]: uid }),
    ...(groups.length > 0 && { [remoteUserHeaders.group]: groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [remoteUserHeaders.extraPrefix + escaped(key), values]),
    ),
  };
}

function escaped(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replace(
      /[^A-Za-z\d!#$&'*+.^_`|~-]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
