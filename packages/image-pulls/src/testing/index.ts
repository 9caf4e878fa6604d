export { type CallOptions, type CallResult, type CriClient, criClient, type OpenCall } from './cri-client.js';
export { eventually } from './eventually.js';
export { type FakeRuntime, fakeRuntime } from './fake-runtime.js';
export { type Relay, relay } from './relay.js';
