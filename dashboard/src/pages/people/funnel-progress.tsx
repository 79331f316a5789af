// Progress of a person in each saved funnel, as the service keeps it. Hidden while no funnel is saved.
import type {userFunnelsAnswer} from '../../../../src/edge/answers/saved-funnels.js';
import {type PersonId, personFunnelsPath} from '../../address/report-address';
import {Moment} from '../../controls/moment';
import {TableFrame} from '../../controls/table-frame';
import {useAsked} from '../../service/asked';
import {Card} from '../../shell/card';
import {FaultBox} from '../../shell/states';

type UserFunnels = (typeof userFunnelsAnswer)['_output'];

export function FunnelProgress({person}: {readonly person: PersonId}) {
  const [asked, ask] = useAsked<UserFunnels>(personFunnelsPath(person));
  const {value, fault} = asked.value;
  if (fault === undefined && (value === undefined || value.data.length === 0)) return null;
  return (
    <div class="row">
      <Card span={12} title="Saved funnels" note="by all events of this person">
        {fault !== undefined && <FaultBox fault={fault} onAgain={ask} />}
        {value !== undefined && value.data.length > 0 && (
          <TableFrame label="Saved funnels in a table">
            <table class="grid-table">
              <thead>
                <tr>
                  <th>Funnel</th>
                  <th>Reached</th>
                  <th>When</th>
                </tr>
              </thead>
              <tbody>
                {value.data.map(({id, name, reached, steps, reached_at}) => (
                  <tr key={id}>
                    <td>
                      <span class="bar-cell" style={{'--share': `${((100 * reached) / steps).toFixed(1)}%`}}>
                        <span>{name}</span>
                      </span>
                    </td>
                    <td>{reached === steps ? `all ${steps} steps` : `${reached} of ${steps} steps`}</td>
                    <td>
                      <Moment iso={reached_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableFrame>
        )}
      </Card>
    </div>
  );
}
