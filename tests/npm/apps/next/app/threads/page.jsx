'use client';
// SPDX-License-Identifier: Apache-2.0
// The same with two threads.
import { useEffect } from 'react';
import { createRuntime } from 'tern-runtime/threads';
import { publish } from '../../../digit.js';
import { classifyByThreads } from '../../../threads-digit.js';

export default function Page() {
  useEffect(() => publish(classifyByThreads(createRuntime)), []);
  return <p>a digit by two threads</p>;
}
