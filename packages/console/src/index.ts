export type { LimiterAddress } from './feeds/limiter.js';
export { builtPages } from './server/built-pages.js';
export { type ConnectAs, type Console, type ConsoleOptions, startConsole } from './server/console-server.js';
export type { Pages } from './server/pages.js';
