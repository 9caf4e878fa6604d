import { Command } from './controls/command.js';

/** Says how to sign in, in a browser that the process does not know. */
export function SignedOut({ why }: { readonly why?: string | undefined }) {
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
