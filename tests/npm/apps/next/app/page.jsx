'use client';
// SPDX-License-Identifier: Apache-2.0
// A page of Next that classifies in the browser.
import { useEffect } from 'react';
import { createRuntime } from 'tern-runtime';
import { classify, publish } from '../../digit.js';

export default function Page() {
  useEffect(() => publish(classify(createRuntime)), []);
  return <p>a digit</p>;
}
