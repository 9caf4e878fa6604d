import { type FieldError, required } from '@slipway/api-machinery/errors/field-error';

/** The fields that a source of volumes must have: text that is not empty, or a list that is not. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  awsElasticBlockStore: ['volumeID'],
  azureFile: ['secretName', 'shareName'],
  cephfs: ['monitors'],
  cinder: ['volumeID'],
  configMap: ['name'],
  csi: ['driver'],
  flexVolume: ['driver'],
  gcePersistentDisk: ['pdName'],
  gitRepo: ['repository'],
  glusterfs: ['endpoints', 'path'],
  hostPath: ['path'],
  image: ['reference'],
  iscsi: ['targetPortal', 'iqn'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  rbd: ['monitors', 'image'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  secret: ['secretName'],
  storageos: ['volumeName'],
  vsphereVolume: ['volumePath'],
};

/** Reports the fields that a source must have and does not. */
export function missingOf(source: string, given: object, field: string): FieldError[] {
  const values = given as Readonly<Record<string, unknown>>;
  const isEmpty = (value: unknown) => value === undefined || value === null || (value as string).length === 0;
  return (requiredFields[source] ?? [])
    .filter((name) => isEmpty(values[name]))
    .map((name) => required(`${field}.${name}`));
}
