import type { Clock } from '../clock/clock.js';
import type { ChosenContext, Entry } from './kubeconfig.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { SignInError } from './sign-in-error.js';

const pluginHint = 'sign in with a credential plugin: replace auth-provider by exec in the user of the kubeconfig';

/**
 * The ID token that an `auth-provider` of OpenID Connect keeps in the kubeconfig, as long as it is valid. Renewing it
 * would change the kubeconfig, so that is left to credential plugins.
 * @throws KubeconfigError for other providers, which kubectl has no more
 */
export function oidcToken({ name, user }: ChosenContext, clock: Clock): () => string {
  const { name: provider, config } = (user['auth-provider'] ?? {}) as Entry;
  if (provider !== 'oidc') {
    const removed = `the user of context "${name}" signs in with auth-provider ${JSON.stringify(provider)}`;
    throw new KubeconfigError(`${removed}, which is not supported`, { hint: `${pluginHint}${pluginFor(provider)}` });
  }
  const token = (config as Entry | undefined)?.['id-token'];
  if (typeof token !== 'string' || token === '') {
    throw new KubeconfigError(`the auth-provider of context "${name}" has no id-token`, { hint: pluginHint });
  }
  const expiresAtMs = expiryOf(token);
  return () => {
    if (expiresAtMs !== undefined && clock.now() >= expiresAtMs) {
      const expired = new Date(expiresAtMs).toISOString();
      throw new SignInError(`cannot sign in to context "${name}": its id-token expired at ${expired}`, pluginHint);
    }
    return token;
  };
}

function pluginFor(provider: unknown): string {
  if (provider === 'gcp') return ', with gke-gcloud-auth-plugin';
  if (provider === 'azure') return ', with kubelogin';
  return '';
}

/** When a JWT expires, in milliseconds since the Unix epoch; undefined when it does not say. The server verifies it. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { exp } = claims as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
