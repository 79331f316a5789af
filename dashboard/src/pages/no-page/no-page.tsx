// An unknown address. The service answers it with the app and 404, so that it is said where the way to the right one is.
import {pageAddress} from '../../address/base';
import {Head} from '../../shell/head';
import {Empty} from '../../shell/states';

export function NoPage() {
  return (
    <>
      <Head title="There is no such page" />
      <Empty title="The address leads nowhere">
        It may be mistyped, or of another version.{' '}
        <a class="link" href={pageAddress('/')}>
          Go to Overview
        </a>
      </Empty>
    </>
  );
}
