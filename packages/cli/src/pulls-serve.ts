// The build replaces what this compiles to with one file that holds everything the daemon loads: tools/bundle-daemon.mjs.
export { servePulls } from './commands/pulls/serve-entry.js';
