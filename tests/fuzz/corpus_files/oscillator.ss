Swrsim state space 1
# two states
model m
states 2
state 1 1.0
state 2 0.5
input u m 1 0
output y m 1 0
A 1 2 1
A 2 1 -4
B 2 1 1
C 1 1 1
rate 2 0.1
