// Jitsu, whose calls are those of Segment, one a request, with the person's group on each.
import {segment} from './segment.js';
import {answerOf, given, type Translator, withMore} from './translator.js';

/** What only the vendor's service reads, beyond Segment's. */
const envelope = ['requestIp', 'receivedAt'] as const;

export const jitsu: Translator = {
  kinds: segment.kinds,
  bodyFields: new Set(),
  // Its libraries mask the key in the body.
  keyOf: () => undefined,
  translate: (call, request) => {
    const sent: Record<string, unknown> = {...call};
    for (const name of envelope) delete sent[name];
    if ((request.kind ?? call.type) !== 'group') {
      sent.context = withMore(call.context, {groupId: given(call.groupId)});
      delete sent.groupId;
    }
    return segment.translate(sent, request);
  },
  taken: () => answerOf('{"ok":true}'),
};
