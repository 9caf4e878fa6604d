import { DeviceBindingError } from './devices/device-binding.js';
import { dynamicResources } from './filters/dynamic-resources.js';
import { volumeBinding } from './filters/volume-binding.js';
import { VolumeError } from './volumes/bind-volumes.js';

/** Names the plugin whose work for a pod failed before the pod was bound; undefined when it was none of them. */
export function pluginThatFailed(error: unknown): string | undefined {
  if (error instanceof VolumeError) return volumeBinding.name;
  return error instanceof DeviceBindingError ? dynamicResources.name : undefined;
}
