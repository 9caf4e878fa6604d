export { lmdbStore } from '@slipway/object-store/lmdb-store';
