const fs=require('fs');const fd=fs.openSync('/dev/null','w');
const cell=new Int32Array(new SharedArrayBuffer(4));
function spin(n){let s=0;for(let i=0;i<n;i++){s=(s+i*i%7)|0}return s}
function record(n){fs.writeSync(fd,"x");return spin(n)}
function rest(){Atomics.wait(cell,0,0,2)}
function outer(t){const end=Date.now()+t;let c=0,k=0;while(Date.now()<end){c=(c+record(30000))|0;if(++k%5==0)rest()}return c}
console.log(outer(+process.argv[2]));
