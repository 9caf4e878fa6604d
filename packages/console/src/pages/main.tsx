import { render } from 'preact';
import { App } from './app.js';
import { signInByAddress } from './shell/session.js';
import { applyTheme } from './shell/theme.js';

applyTheme();
const signInError = await signInByAddress().catch((error: unknown) => String(error));
const root = document.getElementById('root');
if (root) render(<App signInError={signInError} />, root);
