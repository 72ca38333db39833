// SPDX-License-Identifier: GPL-3.0-or-later
// Made by goldens.py with PyTorch 1.13.0a0. Do not edit.
#pragma once

static const char* const lessonText = R"(Sequential(
  (0): Linear(in_features=10, out_features=4, bias=True)
  (1): ReLU()
  (2): Linear(in_features=4, out_features=3, bias=True)
))";

static const char* const cnnText = R"(Sequential(
  (0): Conv2d(1, 16, kernel_size=(3, 3), stride=(1, 1))
  (1): BatchNorm2d(16, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
  (2): ReLU(inplace=True)
  (3): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
  (4): Sequential(
    (0): Conv2d(16, 32, kernel_size=(3, 5), stride=(2, 2), padding=(1, 2), dilation=(2, 2), groups=4, bias=False)
    (1): Conv2d(32, 32, kernel_size=(3, 3), stride=(1, 1), padding=same)
    (2): BatchNorm2d(32, eps=0.001, momentum=None, affine=False, track_running_stats=True)
    (3): Sequential()
  )
  (5): AvgPool2d(kernel_size=(2, 3), stride=1, padding=1)
  (6): MaxPool2d(kernel_size=3, stride=2, padding=1, dilation=1, ceil_mode=True)
  (7): AdaptiveAvgPool2d(output_size=(None, 7))
  (8): AdaptiveAvgPool2d(output_size=1)
  (9): Flatten(start_dim=1, end_dim=-1)
  (10): Dropout(p=0.5, inplace=False)
  (11): Linear(in_features=64, out_features=10, bias=False)
  (12): BatchNorm1d(10, eps=1e-05, momentum=0.1, affine=True, track_running_stats=False)
  (13): Tanh()
  (14): Sigmoid()
  (15): Softmax(dim=1)
  (16): LogSoftmax(dim=None)
  (17): Identity()
))";
