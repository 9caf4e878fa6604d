const proofKey = 'slipway-proof';

/** The process does not know this browser: it was restarted, or there was no sign-in yet. */
export class SignedOutError extends Error {
  override readonly name = 'SignedOutError';
}

/** Signs in with the token in the address, if there is one, and takes it out of the address. Resolves with why that failed. */
export async function signInByAddress(): Promise<string | undefined> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return await signIn(token);
}

/** Signs in with the token of an address, or with that of a user. Resolves with why that failed. */
export async function signIn(token: string): Promise<string | undefined> {
  const response = await fetch('/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const answer = (await response.json()) as { readonly proof?: string; readonly error?: string };
  if (answer.proof === undefined) return answer.error ?? 'the console did not accept it';
  localStorage.setItem(proofKey, answer.proof);
  return undefined;
}

/** Ends the session, and with it what the console may do. */
export async function signOut(): Promise<void> {
  await send('/api/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  localStorage.removeItem(proofKey);
  location.reload();
}

/** Sends a request as the signed-in user. @throws SignedOutError */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const proof = localStorage.getItem(proofKey) ?? '';
  const response = await fetch(path, { ...init, headers: { ...init.headers, 'x-slipway-proof': proof } });
  if (response.status === 401) throw new SignedOutError();
  return response;
}

/** Reads a JSON document; an answer that says what is wrong is one, too. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const init: RequestInit =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await send(path, init);
  return (await response.json()) as T;
}
