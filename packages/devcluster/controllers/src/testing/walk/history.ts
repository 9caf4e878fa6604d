import { InformerFactory, type Kube, type KubeObject, silentLog } from '@slipway/kube';
import { type CronJob, cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { type Job, jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';

/** One change of a pod, a job or a CronJob; `before` is what it was, if it was there. */
export interface Change {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly pod?: Pod;
  readonly job?: Job;
  readonly cronJob?: CronJob;
  readonly before?: Pod | Job | CronJob | undefined;
  readonly revision: number;
}

/** All changes of pods, jobs and CronJobs in the order in which the API server made them. */
export class History {
  readonly #informers: InformerFactory;
  #changes: Change[] = [];

  constructor(kube: Kube) {
    this.#informers = new InformerFactory(kube, { log: silentLog });
    const note = (key: 'pod' | 'job' | 'cronJob') => {
      const known = new Map<string, KubeObject>();
      return ({ type, object }: { type: Change['type']; object: KubeObject }) => {
        const { uid = '', resourceVersion } = object.metadata;
        const change = { type, [key]: object, before: known.get(uid), revision: Number(resourceVersion) };
        if (type === 'deleted') known.delete(uid);
        else known.set(uid, object);
        this.#changes.push(change as Change);
      };
    };
    this.#informers.informer(pods).onChange(note('pod'));
    this.#informers.informer(jobs).onChange(note('job'));
    this.#informers.informer(cronJobs).onChange(note('cronJob'));
    this.#informers.start();
  }

  /** What happened since it was asked last. */
  take(): readonly Change[] {
    const changes = this.#changes.sort((a, b) => a.revision - b.revision);
    this.#changes = [];
    return changes;
  }

  stop(): Promise<void> {
    return this.#informers.stop();
  }
}
