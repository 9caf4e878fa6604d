import { readFileSync } from 'node:fs';
import type { Pages } from './pages.js';

/** Reads the pages that the build put beside this file. @throws Error when there are none */
export function builtPages(): Pages {
  const file = new URL('./console-pages.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Pages;
}
