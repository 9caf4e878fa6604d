import type { TLSSocket } from 'node:tls';
import type { ApiRequest } from '../request/request.js';

/** Identifies which of a user's credentials was used. */
const credentialId = 'authentication.kubernetes.io/credential-id';

type Identity = Pick<ApiRequest, 'user' | 'credentials'>;

const identities = new WeakMap<TLSSocket, Identity>();

/** Reads the client's identity from the certificate of a connection: CN names the user, each O a group. */
export function clientIdentity(socket: TLSSocket): Identity {
  let identity = identities.get(socket);
  if (!identity) {
    identity = readIdentity(socket);
    identities.set(socket, identity);
  }
  return identity;
}

function readIdentity(socket: TLSSocket): Identity {
  const { subject, fingerprint256 = '' } = socket.getPeerCertificate(false) ?? {};
  if (!subject) return { user: undefined };
  const name: unknown = subject.CN;
  if (!socket.authorized || typeof name !== 'string' || name === '')
    return { user: undefined, credentials: 'rejected' };
  const organisations = subject.O as string | readonly string[] | undefined;
  const groups = organisations === undefined ? [] : typeof organisations === 'string' ? [organisations] : organisations;
  const credential = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  const extra = { [credentialId]: [credential] };
  return { user: { name, groups: [...groups, 'system:authenticated'], extra } };
}
