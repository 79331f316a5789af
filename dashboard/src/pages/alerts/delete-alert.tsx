// What is asked before an alert is deleted.
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';
import {change, faultOf} from '../../service/client';
import {ConfirmDialog} from '../../shell/confirm-dialog';
import {alertPath} from './alert-words';

export function DeleteAlert({alert, onClose}: {readonly alert: AlertAnswer; readonly onClose: () => void}) {
  return (
    <ConfirmDialog
      title={`Delete ${alert.name}?`}
      actText="Delete the alert"
      act={async () => faultOf(await change('DELETE', alertPath(alert)))}
      onDone={onClose}
      onClose={onClose}
    >
      <p>It is no longer checked. If it is firing now, nobody is notified of its end.</p>
    </ConfirmDialog>
  );
}
