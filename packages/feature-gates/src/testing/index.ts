export { FakeApi } from './fake-api.js';
export { setGates } from './set-gates.js';
export { StepClock, settled } from './step-clock.js';
