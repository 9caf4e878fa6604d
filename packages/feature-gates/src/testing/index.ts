export { setGates } from './set-gates.js';
