; What the matrix runs: leaf under middle under outer under main, without frame pointers.
; Of functions of C by clang -O2 -fomit-frame-pointer -S -emit-llvm, what says how they look removed.
declare i64 @clock()

define i64 @leaf(i64 %n) noinline nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %square = mul i64 %i, %i
  %rest = urem i64 %square, 7
  %sum = add i64 %s, %rest
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum
}

define i64 @middle(i64 %n) noinline nounwind {
  %half = udiv i64 %n, 2
  %a = call i64 @leaf(i64 %n)
  %b = call i64 @leaf(i64 %half)
  %sum = add i64 %a, %b
  ret i64 %sum
}

define i64 @outer(i64 %end) noinline nounwind {
entry:
  br label %loop
loop:
  %c = phi i64 [ 0, %entry ], [ %sum, %loop ]
  %m = call i64 @middle(i64 3000)
  %sum = add i64 %c, %m
  %now = call i64 @clock()
  %more = icmp slt i64 %now, %end
  br i1 %more, label %loop, label %done
done:
  ret i64 %sum
}

define i32 @main() nounwind {
  %now = call i64 @clock()
  %end = add i64 %now, 900000
  %sum = call i64 @outer(i64 %end)
  ret i32 0
}
