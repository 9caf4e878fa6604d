export { imageStatusRequest, readImageStatusResponse } from '../cri/image-status.js';
export { imageSpec } from '../cri/pull-image-request.js';
export { aDaemonState } from './a-daemon-state.js';
export { type CallOptions, type CallResult, type CriClient, criClient, type OpenCall } from './cri-client.js';
export { eventually } from './eventually.js';
export { type FakeRuntime, fakeRuntime } from './fake-runtime.js';
export { type Relay, relay } from './relay.js';
