// The fields in which a page is asked: a page that is shared shows none.
import type {VNode} from 'preact';
import {isShared} from '../address/base';

export const Question = ({children}: {readonly children: VNode}) => (isShared ? null : children);
