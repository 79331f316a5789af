// Fields that most people leave as they are: folded away.
import type {ComponentChildren} from 'preact';
import './more-fields.css';

export const MoreFields = ({title, children}: {readonly title: string; readonly children: ComponentChildren}) => (
  <details class="more-fields">
    <summary>{title}</summary>
    {children}
  </details>
);
