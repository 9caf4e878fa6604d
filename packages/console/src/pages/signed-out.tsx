import { useEffect, useState } from 'preact/hooks';
import { Command } from './controls/command.js';
import { signIn } from './shell/session.js';

/** Says how to sign in, in a browser that the process does not know. */
export function SignedOut({ why }: { readonly why?: string | undefined }) {
  const [byToken, setByToken] = useState(false);
  useEffect(() => {
    fetch('/api/sign-in')
      .then((response) => response.json())
      .then((how: { readonly byToken?: boolean }) => setByToken(how.byToken === true))
      .catch(() => {});
  }, []);
  if (byToken) return <TokenForm />;
  return (
    <div class="empty" role="alert">
      <h1>Sign in</h1>
      {why && <p>That address did not work: {why}.</p>}
      <p>Open the address that the console printed when it started. It works once; each start prints another one.</p>
      <Command text="slipway console" />
      <p class="faint">This page goes on by itself once you have signed in, in whatever tab.</p>
    </div>
  );
}

/** Takes the token of a user. It is sent once, and kept by the process until the session ends. */
function TokenForm() {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: Event) => {
    event.preventDefault();
    signIn(token.trim()).then(
      (why) => {
        setError(why);
        // What another user saw is not shown to this one, not even at first.
        if (why === undefined) location.reload();
      },
      (failure: unknown) => setError(String(failure)),
    );
  };
  return (
    <form class="empty" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>The console does what this token may do in the cluster, and nothing else.</p>
      <label>
        Token{' '}
        <input
          class="field"
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={token.trim() === ''}>
        Sign in
      </button>
      {error && (
        <p class="warn" role="alert">
          {error}
        </p>
      )}
      <p>
        A token of a service account: <Command text="kubectl create token NAME -n NAMESPACE" />
      </p>
    </form>
  );
}
