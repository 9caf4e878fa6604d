import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid, notFound, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import type { ContainerFields, MountFields, VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLocalPath, validateNoBacksteps } from './path-rules.js';

type Volumes = ReadonlyMap<string, VolumeFields>;

/** Validates where a container mounts volumes. Some errors are at the list, not at the mount. */
export function validateMounts(container: ContainerFields, field: string, volumes: Volumes): FieldError[] {
  const paths = new Set<string>();
  const devices = container.volumeDevices ?? [];
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const { name = '', mountPath = '', subPath = '', subPathExpr = '' } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === '') errors.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (devices.some((device) => (device.name ?? '') === name)) {
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    }
    if (devices.some((device) => (device.devicePath ?? '') === mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    if (subPath !== '') errors.push(...validateLocalPath(subPath, `${field}.subPath`));
    if (subPathExpr !== '') {
      if (subPath !== '') {
        errors.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      }
      errors.push(...validateLocalPath(subPathExpr, `${field}.subPathExpr`));
    }
    return [...errors, ...validatePropagation(mount, container, field), ...validateReadOnly(mount, field)];
  });
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

function validatePropagation(
  { mountPropagation }: MountFields,
  container: ContainerFields,
  list: string,
): FieldError[] {
  if (mountPropagation === undefined) return [];
  const field = `${list}.mountPropagation`;
  if (!propagations.includes(mountPropagation)) return [notSupported(field, mountPropagation, propagations)];
  const { privileged = false } = (container.securityContext ?? {}) as { privileged?: boolean };
  if (mountPropagation !== 'Bidirectional' || privileged) return [];
  return [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

function validateReadOnly(mount: MountFields, list: string): FieldError[] {
  const { recursiveReadOnly, readOnly = false, mountPropagation = 'None' } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return [];
  const field = `${list}.recursiveReadOnly`;
  if (!readOnlyModes.includes(recursiveReadOnly)) return [notSupported(field, recursiveReadOnly, readOnlyModes)];
  const errors: FieldError[] = [];
  if (!readOnly) errors.push(forbidden(field, 'may only be specified when readOnly is true'));
  if (mountPropagation !== 'None') {
    errors.push(forbidden(field, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

/** Validates the block devices of a container. */
export function validateDevices(container: ContainerFields, field: string, volumes: Volumes): FieldError[] {
  const paths = new Set<string>();
  const names = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  return (container.volumeDevices ?? []).flatMap(({ name = '', devicePath = '' }, index) => {
    const at = `${field}[${index}]`;
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'));
    if (!volume) errors.push(notFound(`${at}.name`, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      errors.push(invalid(`${at}.name`, name, detail));
    }
    if (devicePath === '') errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    if (validateNoBacksteps(devicePath, at).length > 0) {
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.some((mount) => (mount.name ?? '') === name)) {
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    }
    if (mounts.some((mount) => (mount.mountPath ?? '') === devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
