// The path of an alert, below the dashboard's own routes.
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';

export const alertPath = ({id}: Pick<AlertAnswer, 'id'>): string => `v1/alerts/${encodeURIComponent(id)}`;
