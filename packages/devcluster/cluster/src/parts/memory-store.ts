export { memoryStore } from '@slipway/object-store/memory-store';
