// Reads the states of all alerts, which the process that evaluates them wrote.
import type {KeptStore} from '../kept/kept-store.js';
import {BucketFault} from '../keys/key-bucket.js';
import {type AlertRecord, isOfRule} from './alert-record.js';
import type {AlertState} from './alert-state.js';
import {type Alert, stateName} from './definition.js';

/** States of alerts, the oldest alert first. A state is undefined before the first evaluation of the alert's rule. */
export type AlertStates = readonly {readonly alert: Alert; readonly state: AlertState | undefined}[];

export const alertsOf = (store: KeptStore) => store.definitions<Alert>('al');

/** States of all alerts; undefined when the bucket does not answer. */
export async function readAlertStates(store: KeptStore): Promise<AlertStates | undefined> {
  const alerts = alertsOf(store).list();
  try {
    return await Promise.all(alerts.map(async (alert) => ({alert, state: await readAlertState(store, alert)})));
  } catch (error) {
    if (error instanceof BucketFault) return undefined;
    throw error;
  }
}

/** State of one alert. Rejects with a `BucketFault`. */
export async function readAlertState({bucket}: KeptStore, alert: Alert): Promise<AlertState | undefined> {
  const entry = await bucket.read(stateName(alert.id));
  if (entry === undefined || entry.text === '') return undefined;
  const record = JSON.parse(entry.text) as AlertRecord;
  return isOfRule(record, alert) ? record : undefined;
}
