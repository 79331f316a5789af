// The page before the first page view: what to put into a site.
import {pageAddress} from '../../address/base';
import {ApiAddressNote} from '../../controls/api-address-note';
import {CopyButton} from '../../controls/copy-button';
import {Snippet} from '../../controls/snippet';
import {apiAddress} from '../../service/api-address';
import {may} from '../../service/session';
import {Card} from '../../shell/card';

export function NoViews() {
  const text = `<script defer src="${apiAddress.value}/sdk.js" data-key="YOUR_WRITE_KEY"></script>`;
  return (
    <div class="row">
      <Card span={12} title="No page view has come yet">
        <div class="web-start">
          <p>
            Put this line into the pages of your site, with a write key that names their origins. The page views show
            here after the next publication.
          </p>
          <Snippet label="Line for a web page" text={text} />
          <ApiAddressNote />
          <div class="buttons">
            <CopyButton text={text} what="Copy the line for a web page" />
            {may('admin') && (
              <a class="button" href={pageAddress('/settings/keys')}>
                API keys
              </a>
            )}
            {may('analyst') && (
              <a class="button" href={pageAddress('/first-event')}>
                First event
              </a>
            )}
          </div>
          <p class="help">
            Page views of other libraries count as well: see "I already use" at First event. If yours have a name of
            their own, choose it above.
          </p>
        </div>
      </Card>
    </div>
  );
}
